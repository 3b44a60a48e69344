-- severity: warn
-- stream: events
-- scope: incremental
-- depends_on: statistics, events
-- meaning: The export of a day and the daily statistics count different clicks on that channel. Small differences may
--   come from clicks that the service counts late; ask the service about large ones.
-- Checks only channels whose clicks the statistics count.

with both_covered as (
    select date
    from ops.coverage
    semi join batch_days using (date)
    where stream in ('statistics', 'events')
    group by date
    having count(*) = 2
),

counted as (
    select date, coalesce(channel, 'without a channel') as channel, sum(click) as clicks
    from daily_statistics
    semi join both_covered using (date)
    where click is not null
    group by all
),

exported as (
    select date, coalesce(channel, 'without a channel') as channel, count(*) as clicks
    from events
    semi join both_covered using (date)
    -- Event names are an open vocabulary. Closing a message is the only click that does not count.
    where event_name like '%\_click' escape '\' and event_name <> 'close_button_click'
    group by all
)

select
    date,
    channel as subject,
    'The exported clicks are not as many as the daily statistics count.' as finding,
    counted.clicks as expected,
    coalesce(exported.clicks, 0) as actual
from counted
left join exported using (date, channel)
where counted.clicks <> coalesce(exported.clicks, 0);
