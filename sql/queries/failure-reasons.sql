-- title: Reasons of failed sends
-- question: Why did sends fail, how often, and for how many people?
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
-- The names of events are an open vocabulary; every failed send is called something that ends in send_failure.
failures as (
    select events.*
    from events
    inner join params on events.date between params.first_day and params.last_day
    where
        ends_with(events.event_name, 'send_failure')
        and (params.only_channel is null or events.channel = params.only_channel)
),
reasons as (
    select
        channel,
        event_name,
        failure_reason,
        count(*) as failures,
        count(distinct coalesce(user_id, service_user_id, device_id, service_device_id)) as people,
        count(distinct coalesce(campaign_id, user_journey_id)) as campaigns_and_journeys,
        min(date) as first_day,
        max(date) as last_day
    from failures
    group by channel, event_name, failure_reason
)
select
    channel,
    event_name,
    failure_reason,
    failures,
    round(failures / sum(failures) over (partition by channel, event_name), 4) as share,
    people,
    campaigns_and_journeys,
    first_day,
    last_day
from reasons
order by channel, event_name, failures desc, failure_reason;
