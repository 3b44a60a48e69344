-- grain: one KST day, channel, event name, campaign or user journey, and group or node.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days

select
    date,
    channel,
    event_name,
    kind,
    resource_type,
    campaign_id,
    experiment_group_name,
    user_journey_id,
    user_journey_node_id,
    count(*) as events,
    if(marts.counts_people(), count(distinct person), null) as people
from marts.event_people
where
    date between getvariable('first_batch_day') and getvariable('last_batch_day')
    and date in (select date from batch_days)
group by all;
