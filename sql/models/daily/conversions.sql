-- grain: one KST day, campaign or user journey, variant or node, channel and conversion name (E17).
-- materialized: incremental
-- depends_on: statistics
--
-- Direct conversions are included in the conversions, so don't add them up.

select
    daily_statistics.date,
    daily_statistics.resource_type,
    coalesce(daily_statistics.campaign_id, daily_statistics.user_journey_id) as resource_id,
    coalesce(daily_statistics.campaign_name, daily_statistics.user_journey_name) as resource_name,
    daily_statistics.variant_id,
    daily_statistics.variant_name,
    daily_statistics.user_journey_node_id,
    daily_statistics.channel,
    daily_conversions.name as conversion_name,
    -- If the type has no row, conversions are 0, unless some are direct. If the count is not a number, they are unknown.
    if(
        bool_or(daily_conversions.count is null) filter (daily_conversions.type = 'total_count_conversion')
        or (
            count(*) filter (daily_conversions.type = 'total_count_conversion') = 0
            and coalesce(sum(daily_conversions.count) filter (daily_conversions.type = 'direct_count_conversion'), 0) > 0
        ),
        null,
        coalesce(sum(daily_conversions.count) filter (daily_conversions.type = 'total_count_conversion'), 0)
    )::bigint as conversions,
    -- A direct conversion follows a click, so it is unknown on a channel that does not count clicks.
    if(
        bool_or(daily_conversions.count is null) filter (daily_conversions.type = 'direct_count_conversion')
        or (any_value(daily_statistics.click) is null and coalesce(sum(daily_conversions.count) filter (daily_conversions.type = 'direct_count_conversion'), 0) = 0),
        null,
        coalesce(sum(daily_conversions.count) filter (daily_conversions.type = 'direct_count_conversion'), 0)
    )::bigint as direct_conversions,
    -- Types that the specification does not list.
    sum(daily_conversions.count) filter (
        daily_conversions.type not in ('total_count_conversion', 'direct_count_conversion')
    )::bigint as other_conversions,
    daily_statistics.statistic_id
from (from daily_conversions where date in (select date from batch_days)) as daily_conversions
inner join (from daily_statistics where date in (select date from batch_days)) as daily_statistics
    on daily_conversions.statistic_id = daily_statistics.statistic_id
group by all;
