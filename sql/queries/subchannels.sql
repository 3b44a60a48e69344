-- title: Sub-channels and targets
-- question: How do the finer kinds of a channel do, such as SMS against LMS, or the targets of brand messages?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   channel                channel_sub  brand_message_target  campaigns_and_journeys  sent   failed  delivered  …
--   chatapp-alimtalk                                          7                       10912  428                …
--   chatapp-brand-message  basic        M                     2                       2205   215                …
--   chatapp-brand-message  basic        N                     1                       516    43                 …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel
    from ops.coverage
    where stream = 'statistics_by_subchannel'
)
select
    statistics.channel,
    statistics.channel_sub,
    statistics.brand_message_target,
    count(distinct statistics.resource_id) as campaigns_and_journeys,
    sum(statistics.message_sent)::bigint as sent,
    sum(statistics.message_failed)::bigint as failed,
    sum(statistics.delivered)::bigint as delivered,
    sum(statistics.click)::bigint as clicked,
    round(sum(statistics.message_failed) / nullif(sum(statistics.message_sent), 0), 4) as failure_rate,
    -- A rate leaves out the messages that nobody counted deliveries, or clicks, of.
    round(
        sum(statistics.delivered)
        / nullif(
            sum(statistics.message_sent - statistics.message_failed) filter (statistics.delivered is not null), 0
        ),
        4
    ) as delivery_rate,
    round(
        sum(statistics.click)
        / nullif(sum(statistics.message_sent - statistics.message_failed) filter (statistics.click is not null), 0),
        4
    ) as click_rate
from daily_statistics_by_subchannel as statistics
inner join params on statistics.date between params.first_day and params.last_day
where params.only_channel is null or statistics.channel = params.only_channel
group by statistics.channel, statistics.channel_sub, statistics.brand_message_target
order by statistics.channel, statistics.channel_sub, statistics.brand_message_target;
