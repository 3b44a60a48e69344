-- grain: one person, user journey and node, by the first event there.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
-- unique_key: visit

select
    (md5_number_lower(json_array(user_journey_id, user_journey_node_id, person)::varchar) >> 1)::bigint as visit,
    person,
    user_journey_id,
    user_journey_node_id,
    min(date) as date,
    min(occurred_at) as first_at
from marts.event_people
where
    date between getvariable('first_batch_day') and getvariable('last_batch_day')
    and date in (select date from batch_days)
    and person is not null
    and user_journey_node_id is not null
    and user_journey_id is not null
    and occurred_at is not null
group by all;
