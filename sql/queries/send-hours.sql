-- title: Sends by hour of day
-- question: At which hour in Korea are messages sent, and which hours bring clicks?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   hour  succeeded  failed  clicked  click_rate  share_of_sent
--   0     144        5       3        0.0208      0.0039
--   1     97         3       6        0.0619      0.0026
--   2     58         1       5        0.0862      0.0016

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel
    from ops.coverage
    where stream = 'events'
),
-- A click counts for the hour in which its message was sent.
sends as (
    select
        daily_send_hours.hour,
        sum(daily_send_hours.succeeded)::bigint as succeeded,
        sum(daily_send_hours.failed)::bigint as failed,
        sum(daily_send_hours.clicked)::bigint as clicked
    from marts.daily_send_hours
    inner join params on daily_send_hours.date between params.first_day and params.last_day
    where params.only_channel is null or daily_send_hours.channel = params.only_channel
    group by daily_send_hours.hour
),
hours as (
    -- An hour in which nothing happened is an answer too, but not where there are no events at all.
    select range::integer as hour
    from range(24)
    where exists (from sends)
)
select
    hours.hour,
    coalesce(sends.succeeded, 0) as succeeded,
    coalesce(sends.failed, 0) as failed,
    coalesce(sends.clicked, 0) as clicked,
    round(sends.clicked / nullif(sends.succeeded, 0), 4) as click_rate,
    round(coalesce(sends.succeeded, 0) / nullif(sum(sends.succeeded) over (), 0), 4) as share_of_sent
from hours
left join sends on hours.hour = sends.hour
order by hours.hour;
