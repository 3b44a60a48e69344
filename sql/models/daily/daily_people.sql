-- grain: one KST day, person, channel, resource type, and campaign or user journey whose message reached the person or
--   was clicked.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
--
-- Models that look back over weeks read this table, so that each night identifies people only for its own day. For several days,
-- use count(distinct person), because daily numbers of people cannot be added.

with machines as (
    select date, person, channel, campaign_id, user_journey_id, count(*) as clicked
    from marts.message_responses
    where date in (select date from batch_days) and is_machine
    group by date, person, channel, campaign_id, user_journey_id
)

select
    events.date,
    events.person,
    events.channel,
    events.resource_type,
    events.campaign_id,
    events.user_journey_id,
    count(*) filter (marts.is_reaching(events.kind, events.channel) and not marts.is_display(events.channel))::integer as messages,
    count(*) filter (events.kind = 'failover_succeeded')::integer as failover_texts,
    count(*) filter (marts.is_reaching(events.kind, events.channel) and marts.is_display(events.channel))::integer as shown,
    -- Clicks by people. Clicks by machines are counted separately.
    greatest(0, count(*) filter (events.kind = 'clicked') - coalesce(any_value(machines.clicked), 0))::integer as clicked,
    coalesce(any_value(machines.clicked), 0)::integer as machine_clicks
from marts.event_people as events
left join machines
    on
        events.date = machines.date
        and events.person = machines.person
        and events.channel = machines.channel
        and events.campaign_id is not distinct from machines.campaign_id
        and events.user_journey_id is not distinct from machines.user_journey_id
where
    events.date between getvariable('first_batch_day') and getvariable('last_batch_day')
    and events.date in (select date from batch_days)
    and events.person is not null
    and (events.kind = 'clicked' or marts.is_reaching(events.kind, events.channel))
group by all;
