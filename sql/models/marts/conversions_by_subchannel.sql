-- grain: one KST day, resource, variant or node, channel, sub-channel, target, conversion name and type (E18).
--
-- The type is a label in the language of the service's console, so it is kept as it comes.

select
    daily_statistics_by_subchannel.date,
    daily_statistics_by_subchannel.resource_id,
    daily_statistics_by_subchannel.resource_name,
    daily_statistics_by_subchannel.node_id,
    daily_statistics_by_subchannel.node_name,
    daily_statistics_by_subchannel.variant_id,
    daily_statistics_by_subchannel.variant_name,
    daily_statistics_by_subchannel.channel,
    daily_statistics_by_subchannel.channel_sub,
    daily_statistics_by_subchannel.brand_message_target,
    daily_conversions_by_subchannel.name as conversion_name,
    daily_conversions_by_subchannel.type_label,
    sum(daily_conversions_by_subchannel.count)::bigint as conversions,
    max(
        daily_statistics_by_subchannel.message_sent - daily_statistics_by_subchannel.message_failed
    ) as succeeded,
    daily_statistics_by_subchannel.statistic_id
from daily_conversions_by_subchannel
inner join daily_statistics_by_subchannel
    on daily_conversions_by_subchannel.statistic_id = daily_statistics_by_subchannel.statistic_id
group by all;
