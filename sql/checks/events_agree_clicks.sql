-- severity: warn
-- stream: events
-- The export holds as many clicks as the daily statistics count, on channels that count them.

with both_covered as (
    select date
    from ops.coverage
    where stream in ('statistics', 'events')
    group by date
    having count(*) = 2
),

counted as (
    select date, channel, sum(click) as clicks
    from daily_statistics
    semi join both_covered using (date)
    where click is not null
    group by date, channel
),

exported as (
    select date, channel, count(*) as clicks
    from events
    semi join both_covered using (date)
    -- An open vocabulary; closing a message is the one click that does not count.
    where event_name like '%\_click' escape '\' and event_name <> 'close_button_click'
    group by date, channel
)

select
    counted.date,
    counted.channel as subject,
    'The exported clicks are not as many as the daily statistics count.' as finding,
    counted.clicks as expected,
    coalesce(exported.clicks, 0) as actual
from counted
left join exported on counted.date = exported.date and counted.channel is not distinct from exported.channel
where counted.clicks <> coalesce(exported.clicks, 0);
