-- grain: one week of first messages and week of activity, both by their Monday.
-- materialized: incremental
-- partition: week
-- depends_on: events
-- dirties: all later days

with active as (
    select
        date_trunc('week', date)::date as week,
        person,
        sum(messages + displays) > 0 as messaged,
        sum(clicks) > 0 as clicked
    from marts.daily_people
    where date in (select date from batch_days)
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
