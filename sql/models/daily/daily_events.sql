-- grain: one KST day, channel, event name, campaign or user journey, and group or node.
-- materialized: incremental
-- depends_on: events

select
    date,
    channel,
    event_name,
    marts.event_kind(event_name) as kind,
    resource_type,
    campaign_id,
    experiment_group_name,
    user_journey_id,
    user_journey_node_id,
    count(*) as events,
    count(distinct coalesce(user_id, service_user_id, device_id, service_device_id)) as users
from events
where date in (select date from batch_days)
group by
    date,
    channel,
    event_name,
    resource_type,
    campaign_id,
    experiment_group_name,
    user_journey_id,
    user_journey_node_id;
