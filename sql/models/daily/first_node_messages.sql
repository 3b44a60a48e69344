-- grain: one person, user journey and node, by the first event there.
-- materialized: incremental
-- depends_on: events
-- lookback: all days
-- unique_key: visit

select
    md5_number_lower(
        json_array(
            user_journey_id, user_journey_node_id, coalesce(user_id, service_user_id, device_id, service_device_id)
        )::varchar
    ) as visit,
    md5_number_lower(coalesce(user_id, service_user_id, device_id, service_device_id)) as person,
    user_journey_id,
    user_journey_node_id,
    min(date) as date,
    min(occurred_at) as first_at
from events
where
    date in (select date from batch_days)
    and user_journey_node_id is not null
    and user_journey_id is not null
    and occurred_at is not null
    and coalesce(user_id, service_user_id, device_id, service_device_id) is not null
group by all;
