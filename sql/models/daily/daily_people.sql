-- grain: one KST day, person, channel, resource type, and campaign or user journey of which a message reached the person, or
-- was clicked.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
--
-- Models that look back over weeks read this table, so that each night identifies people for its own day only. Use
-- count(distinct) for people over several days: daily numbers do not add up.

select
    date,
    person,
    channel,
    resource_type,
    campaign_id,
    user_journey_id,
    count(*) filter (marts.is_reaching(kind, channel) and not marts.is_display(channel))::integer as messages,
    count(*) filter (kind = 'failover_sent')::integer as failover_texts,
    count(*) filter (marts.is_reaching(kind, channel) and marts.is_display(channel))::integer as displays,
    count(*) filter (kind = 'clicked')::integer as clicks
from marts.event_people
where
    date between getvariable('first_batch_day') and getvariable('last_batch_day')
    and date in (select date from batch_days)
    and person is not null
    and (kind = 'clicked' or marts.is_reaching(kind, channel))
group by all;
