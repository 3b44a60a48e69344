-- grain: one KST day, campaign or user journey, variant or node, and channel: a row of the daily statistics.
--
-- Conversions stand beside their messages here, so that nobody joins the two and counts messages once per conversion.
-- deliverable and clickable are the messages whose deliveries and clicks the channel counts: rates divide by them.

with conversions as (
    select
        statistic_id,
        sum(count) filter (where type = 'total_count_conversion')::bigint as conversions,
        sum(count) filter (where type = 'direct_count_conversion')::bigint as direct_conversions
    from daily_conversions
    group by statistic_id
)

select
    daily_statistics.date,
    daily_statistics.resource_type,
    coalesce(daily_statistics.campaign_id, daily_statistics.user_journey_id) as resource_id,
    coalesce(daily_statistics.campaign_name, daily_statistics.user_journey_name) as resource_name,
    daily_statistics.campaign_id,
    daily_statistics.campaign_name,
    daily_statistics.variant_id,
    daily_statistics.variant_name,
    daily_statistics.user_journey_id,
    daily_statistics.user_journey_name,
    daily_statistics.user_journey_node_id,
    daily_statistics.user_journey_node_name,
    daily_statistics.channel,
    daily_statistics.tags,
    daily_statistics.message_sent as sent,
    daily_statistics.message_failed as failed,
    daily_statistics.message_sent - daily_statistics.message_failed as succeeded,
    daily_statistics.delivered,
    daily_statistics.click as clicked,
    conversions.conversions,
    conversions.direct_conversions,
    case when daily_statistics.delivered is not null then succeeded end as deliverable,
    case when daily_statistics.click is not null then succeeded end as clickable,
    daily_statistics.statistic_id
from daily_statistics
left join conversions on daily_statistics.statistic_id = conversions.statistic_id;
