-- grain: one week of first messages and week of activity, both by their Monday.
-- materialized: incremental
-- partition: week
-- depends_on: events
-- dirties: all later days

with active as (
    select
        date_trunc('week', date)::date as week,
        md5_number_lower(coalesce(user_id, service_user_id, device_id, service_device_id)) as person,
        bool_or(marts.event_kind(event_name) = 'succeeded') as messaged,
        bool_or(marts.event_kind(event_name) = 'clicked') as clicked
    from events
    where
        date in (select date from batch_days)
        and marts.event_kind(event_name) in ('succeeded', 'clicked')
    group by all
)

select
    first_messages.cohort_week,
    active.week,
    count(*) filter (active.messaged) as messaged_users,
    count(*) filter (active.clicked) as clickers
from active
inner join marts.first_messages on active.person = first_messages.person
-- A click before the first message held is one on a message that is not held.
where active.week >= first_messages.cohort_week
group by all;
