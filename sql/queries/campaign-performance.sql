-- title: Campaigns and user journeys over a range
-- question: What did each campaign and user journey send, on which channel, and how did people respond?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
--   tag (varchar, default null): only campaigns with this tag
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel,
        getvariable('tag')::varchar as only_tag
    from ops.coverage
    where stream = 'statistics'
),
statistics as (
    select
        daily_statistics.*,
        coalesce(campaign_id, user_journey_id) as resource_id,
        coalesce(campaign_name, user_journey_name) as resource_name
    from daily_statistics
    inner join params on daily_statistics.date between params.first_day and params.last_day
    where
        (params.only_channel is null or daily_statistics.channel = params.only_channel)
        and (params.only_tag is null or list_contains(daily_statistics.tags, params.only_tag))
),
-- Summed up per statistic first, so that two conversions of one statistic do not count its messages twice.
conversions as (
    select
        statistic_id,
        sum(count) filter (where type = 'total_count_conversion') as conversions,
        sum(count) filter (where type = 'direct_count_conversion') as direct_conversions
    from daily_conversions
    group by statistic_id
),
resources as (
    select
        statistics.resource_type,
        statistics.resource_id,
        -- A name may change; the newest one is what people know it by.
        arg_max(statistics.resource_name, (statistics.date, statistics.statistic_id)) as resource_name,
        statistics.channel,
        min(statistics.date) as first_day,
        max(statistics.date) as last_day,
        sum(message_sent) as sent,
        sum(message_failed) as failed,
        sum(delivered) as delivered,
        sum(click) as clicked,
        sum(conversions) as conversions,
        sum(direct_conversions) as direct_conversions,
        -- A rate leaves out the messages that nobody counted deliveries, or clicks, of.
        sum(message_sent) filter (where message_failed is not null) as tried,
        sum(message_sent - message_failed) filter (where delivered is not null) as deliverable,
        sum(message_sent - message_failed) filter (where click is not null) as clickable,
        -- A day without conversions is one on which nobody converted: its messages count.
        sum(message_sent - message_failed) as convertible
    from statistics
    left join conversions on statistics.statistic_id = conversions.statistic_id
    group by statistics.resource_type, statistics.resource_id, statistics.channel
)
select
    resource_name,
    channel,
    sent::bigint as sent,
    failed::bigint as failed,
    delivered::bigint as delivered,
    clicked::bigint as clicked,
    conversions::bigint as conversions,
    round(failed / nullif(tried, 0), 4) as failure_rate,
    round(delivered / nullif(deliverable, 0), 4) as delivery_rate,
    round(clicked / nullif(clickable, 0), 4) as click_rate,
    round(conversions / nullif(convertible, 0), 4) as conversion_rate,
    direct_conversions::bigint as direct_conversions,
    first_day,
    last_day,
    resource_type,
    resource_id
from resources
order by sent desc nulls last, resource_id, channel;
