-- severity: warn
-- stream: events
-- The export holds as many successful sends as the daily statistics count, by channel.

with both_covered as (
    select date
    from ops.coverage
    where stream in ('statistics', 'events')
    group by date
    having count(*) = 2
),

counted as (
    select date, channel, sum(message_sent - coalesce(message_failed, 0)) as sends
    from daily_statistics
    semi join both_covered using (date)
    group by date, channel
),

exported as (
    select date, channel, count(*) as sends
    from events
    semi join both_covered using (date)
    where event_name = 'send_success'
    group by date, channel
)

select
    coalesce(counted.date, exported.date) as date,
    coalesce(counted.channel, exported.channel) as subject,
    'The exported sends are not as many as the daily statistics count.' as finding,
    coalesce(counted.sends, 0) as expected,
    coalesce(exported.sends, 0) as actual
from counted
full join exported on counted.date = exported.date and counted.channel is not distinct from exported.channel
where coalesce(counted.sends, 0) <> coalesce(exported.sends, 0);
