-- title: Sub-channels and targets
-- question: How do the finer kinds of a channel do, such as SMS against LMS, or the targets of brand messages?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel
    from ops.coverage
    where stream = 'statistics_by_subchannel'
),
statistics as (
    select daily_statistics_by_subchannel.*
    from daily_statistics_by_subchannel
    inner join params on daily_statistics_by_subchannel.date between params.first_day and params.last_day
    where params.only_channel is null or daily_statistics_by_subchannel.channel = params.only_channel
),
subchannels as (
    select
        channel,
        channel_sub,
        brand_message_target,
        count(distinct resource_id) as campaigns_and_journeys,
        sum(message_sent) as sent,
        sum(message_failed) as failed,
        sum(delivered) as delivered,
        sum(click) as clicked,
        -- A rate leaves out the messages that nobody counted deliveries, or clicks, of.
        sum(message_sent) filter (where message_failed is not null) as tried,
        sum(message_sent - message_failed) filter (where delivered is not null) as deliverable,
        sum(message_sent - message_failed) filter (where click is not null) as clickable
    from statistics
    group by channel, channel_sub, brand_message_target
)
select
    channel,
    channel_sub,
    brand_message_target,
    campaigns_and_journeys,
    sent::bigint as sent,
    failed::bigint as failed,
    delivered::bigint as delivered,
    clicked::bigint as clicked,
    round(failed / nullif(tried, 0), 4) as failure_rate,
    round(delivered / nullif(deliverable, 0), 4) as delivery_rate,
    round(clicked / nullif(clickable, 0), 4) as click_rate
from subchannels
order by channel, channel_sub, brand_message_target;
