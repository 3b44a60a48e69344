-- grain: one person, by the day of the first message.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
-- unique_key: person

select
    md5_number_lower(coalesce(user_id, service_user_id, device_id, service_device_id)) as person,
    min(date) as date,
    date_trunc('week', min(date))::date as cohort_week
from events
where
    date in (select date from batch_days)
    and marts.event_kind(event_name) = 'succeeded'
    and coalesce(user_id, service_user_id, device_id, service_device_id) is not null
group by person;
