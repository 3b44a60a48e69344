-- title: Tags
-- question: How do the campaigns with each tag do together?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day
    from ops.coverage
    where stream = 'statistics'
),
-- A campaign with two tags counts for both, so the rows do not add up to a total.
statistics as (
    select
        daily_statistics.*,
        unnest(list_distinct(daily_statistics.tags)) as tag
    from daily_statistics
    inner join params on daily_statistics.date between params.first_day and params.last_day
),
-- Summed up per statistic first, so that two conversions of one statistic do not count its messages twice.
conversions as (
    select
        statistic_id,
        sum(count) filter (where type = 'total_count_conversion') as conversions
    from daily_conversions
    group by statistic_id
),
tags as (
    select
        statistics.tag,
        statistics.channel,
        count(distinct statistics.campaign_id) as campaigns,
        sum(message_sent) as sent,
        sum(message_failed) as failed,
        sum(delivered) as delivered,
        sum(click) as clicked,
        sum(conversions) as conversions,
        -- A rate leaves out the messages that nobody counted deliveries, or clicks, of.
        sum(message_sent) filter (where message_failed is not null) as tried,
        sum(message_sent - message_failed) filter (where delivered is not null) as deliverable,
        sum(message_sent - message_failed) filter (where click is not null) as clickable
    from statistics
    left join conversions on statistics.statistic_id = conversions.statistic_id
    group by statistics.tag, statistics.channel
)
select
    tag,
    channel,
    campaigns,
    sent::bigint as sent,
    failed::bigint as failed,
    delivered::bigint as delivered,
    clicked::bigint as clicked,
    conversions::bigint as conversions,
    round(failed / nullif(tried, 0), 4) as failure_rate,
    round(delivered / nullif(deliverable, 0), 4) as delivery_rate,
    round(clicked / nullif(clickable, 0), 4) as click_rate
from tags
order by tag, channel;
