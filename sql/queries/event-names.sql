-- title: Event names
-- question: Which events does each channel report, and how often?
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
events_of_range as (
    select events.*
    from events
    inner join params on events.date between params.first_day and params.last_day
    where params.only_channel is null or events.channel = params.only_channel
)
select
    channel,
    event_name,
    count(*) as events,
    count(distinct coalesce(user_id, service_user_id, device_id, service_device_id)) as people,
    min(date) as first_day,
    max(date) as last_day
from events_of_range
group by channel, event_name
order by channel, events desc, event_name;
