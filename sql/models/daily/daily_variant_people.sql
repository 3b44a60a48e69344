-- grain: one KST day, campaign, channel, variant name and person: who got messages of an A/B test, and who clicked.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
--
-- A test assigns people to variants, so people are counted. Rows are kept by day, so that any range of days can be counted.

with machines as (
    select date, campaign_id, channel, person, count(*) as clicked
    from marts.message_responses
    where date in (select date from batch_days) and is_machine
    group by date, campaign_id, channel, person
)

select
    events.date,
    events.campaign_id,
    events.channel,
    events.experiment_group_name as variant_name,
    events.person,
    count(*) filter (events.kind in ('succeeded', 'failed')) as sent,
    count(*) filter (events.kind = 'succeeded') as succeeded,
    count(*) filter (events.kind = 'delivered') as delivered,
    -- Clicks by people. Clicks by machines are counted separately.
    greatest(0, count(*) filter (events.kind = 'clicked') - coalesce(any_value(machines.clicked), 0)) as clicked,
    coalesce(any_value(machines.clicked), 0) as machine_clicks
from marts.event_people as events
left join machines
    on
        events.date = machines.date
        and events.campaign_id = machines.campaign_id
        and events.channel = machines.channel
        and events.person = machines.person
where
    events.date between getvariable('first_batch_day') and getvariable('last_batch_day')
    and events.date in (select date from batch_days)
    and events.campaign_id is not null
    and events.experiment_group_name is not null
    and events.person is not null
    and events.kind in ('succeeded', 'failed', 'delivered', 'clicked')
group by all;
