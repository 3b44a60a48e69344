-- grain: one KST day, channel, event name, key of the reason, campaign or user journey, and node.
-- materialized: incremental
-- depends_on: events
--
-- Reasons that differ only by an address, a host name or a number share a key and a row, which has one of the texts.

select
    date,
    channel,
    event_name,
    marts.event_kind(event_name) as kind,
    marts.failure_key(failure_reason) as failure_key,
    -- A text explains more than a code without words.
    coalesce(min(failure_reason) filter (failure_reason <> marts.failure_code(failure_reason)), min(failure_reason)) as failure_reason,
    marts.failure_code(failure_reason) as code,
    resource_type,
    campaign_id,
    user_journey_id,
    user_journey_node_id,
    count(*) as failed
from marts.counted_events
where
    date in (select date from batch_days)
    and (failure_reason is not null or marts.event_kind(event_name) in ('failed', 'failover_failed'))
group by all;
