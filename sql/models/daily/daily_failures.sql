-- grain: one KST day, channel, event name, reason, campaign or user journey, and node.
-- materialized: incremental
-- depends_on: events

select
    date,
    channel,
    event_name,
    marts.event_kind(event_name) as kind,
    failure_reason,
    marts.failure_code(failure_reason) as code,
    resource_type,
    campaign_id,
    user_journey_id,
    user_journey_node_id,
    count(*) as failed
from events
where
    date in (select date from batch_days)
    and (failure_reason is not null or marts.event_kind(event_name) in ('failed', 'failover_failed'))
group by all;
