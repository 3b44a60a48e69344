-- grain: one KST day, campaign or user journey, variant or node, channel and conversion name (E17).

select
    message_days.date,
    message_days.resource_type,
    message_days.resource_id,
    message_days.resource_name,
    message_days.variant_id,
    message_days.variant_name,
    message_days.user_journey_node_id,
    message_days.user_journey_node_name,
    message_days.channel,
    daily_conversions.name as conversion_name,
    sum(daily_conversions.count) filter (
        where daily_conversions.type = 'total_count_conversion'
    )::bigint as conversions,
    sum(daily_conversions.count) filter (
        where daily_conversions.type = 'direct_count_conversion'
    )::bigint as direct_conversions,
    -- Types that the specification does not name.
    sum(daily_conversions.count) filter (
        where daily_conversions.type not in ('total_count_conversion', 'direct_count_conversion')
    )::bigint as other_conversions,
    max(message_days.succeeded) as succeeded,
    message_days.statistic_id
from daily_conversions
inner join marts.message_days on daily_conversions.statistic_id = message_days.statistic_id
group by all;
