-- title: Sends by hour of day
-- question: At which hour in Korea are messages sent, and when do people click?
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
    where stream = 'events'
),
-- The hour is that of Korea, whatever zone this session is in.
events_by_hour as (
    select
        hour(events.occurred_at at time zone 'Asia/Seoul') as hour_of_day,
        events.event_name,
        events.occurred_at
    from events
    inner join params on events.date between params.first_day and params.last_day
    where
        events.occurred_at is not null
        and (params.only_channel is null or events.channel = params.only_channel)
),
hours as (
    -- An hour in which nothing happened is an answer too, but not where there are no events at all.
    select range as hour_of_day
    from range(24)
    where exists (from events_by_hour)
)
select
    hours.hour_of_day,
    count(*) filter (where event_name = 'send_success') as sent,
    count(*) filter (where event_name = 'send_failure') as failed,
    -- The names of events are an open vocabulary: clicks end in click. Closing a message is no interest in it.
    count(*) filter (where ends_with(event_name, 'click') and event_name <> 'close_button_click') as clicked,
    round(sent / nullif(sum(sent) over (), 0), 4) as share_of_sent,
    round(clicked / nullif(sum(clicked) over (), 0), 4) as share_of_clicked
from hours
left join events_by_hour on hours.hour_of_day = events_by_hour.hour_of_day
group by hours.hour_of_day
order by hours.hour_of_day;
