-- severity: warn
-- stream: events
-- scope: incremental
-- depends_on: statistics, events
-- meaning: The export of a day and the daily statistics count different successful sends on that channel. Where the
--   export holds fewer, part of what was paid for may be missing; ask the service before you trust either.

with both_covered as (
    select date
    from ops.coverage
    semi join batch_days using (date)
    where stream in ('statistics', 'events')
    group by date
    having count(*) = 2
),

counted as (
    select
        date,
        coalesce(channel, 'without a channel') as channel,
        sum(message_sent - coalesce(message_failed, 0)) as sends
    from daily_statistics
    semi join both_covered using (date)
    group by all
),

exported as (
    select date, coalesce(channel, 'without a channel') as channel, count(*) as sends
    from events
    semi join both_covered using (date)
    where event_name = 'send_success'
    group by all
)

select
    date,
    channel as subject,
    'The exported sends are not as many as the daily statistics count.' as finding,
    coalesce(counted.sends, 0) as expected,
    coalesce(exported.sends, 0) as actual
from counted
full join exported using (date, channel)
where coalesce(counted.sends, 0) <> coalesce(exported.sends, 0);
