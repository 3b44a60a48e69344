-- severity: warn
-- stream: events
-- scope: incremental
-- depends_on: statistics, events
-- meaning: The export of a day and the daily statistics count different sends or clicks for a campaign or user journey.
--   Where only one of them differs, its records are incomplete; ask the service before you trust either.

with both_covered as (
    select date
    from ops.coverage
    semi join batch_days using (date)
    where stream in ('statistics', 'events')
    group by date
    having count(*) = 2
),

statistics as (
    select
        date,
        coalesce(campaign_id, user_journey_id, 'no campaign or journey') as sender,
        channel,
        message_sent - coalesce(message_failed, 0) as succeeded,
        click
    from daily_statistics
    semi join both_covered using (date)
),

-- On other channels the statistics count no clicks, although the export may hold some.
clicking as (
    select distinct date, channel from statistics where click is not null
),

records as (
    select
        events.date,
        coalesce(events.campaign_id, events.user_journey_id, 'no campaign or journey') as sender,
        events.event_name,
        clicking.date is not null as clicks_count
    from (from events semi join both_covered using (date)) as events
    left join clicking on events.date = clicking.date and events.channel = clicking.channel
),

counted as (
    unpivot (
        select date, sender, coalesce(sum(succeeded), 0)::bigint as sends, coalesce(sum(click), 0)::bigint as clicks
        from statistics
        group by all
    )
    on sends, clicks into name counter value total
),

exported as (
    unpivot (
        select
            date,
            sender,
            count(*) filter (event_name = 'send_success')::bigint as sends,
            count(*) filter (
                clicks_count and event_name like '%\_click' escape '\' and event_name <> 'close_button_click'
            )::bigint as clicks
        from records
        group by all
    )
    on sends, clicks into name counter value total
)

select
    date,
    sender as subject,
    'The exported ' || counter || ' are not as many as the daily statistics count.' as finding,
    coalesce(counted.total, 0) as expected,
    coalesce(exported.total, 0) as actual
from counted
full join exported using (date, sender, counter)
where coalesce(counted.total, 0) <> coalesce(exported.total, 0);
