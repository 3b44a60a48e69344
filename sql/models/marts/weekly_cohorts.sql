-- grain: one week of first messages and week of activity, both by their Monday.
--
-- A person first seen as a device and later as a user is one person, whose first message is the first one of either.

with cohorts as (
    select
        coalesce(people.person, first_messages.person) as person,
        min(first_messages.cohort_week) as cohort_week
    from marts.first_messages
    left join marts.people on first_messages.person = people.weaker_id
    group by 1
),

active as (
    select
        weekly_people.week,
        coalesce(people.person, weekly_people.person) as person,
        bool_or(weekly_people.messaged) as messaged,
        bool_or(weekly_people.clicked) as clicked
    from marts.weekly_people
    left join marts.people on weekly_people.person = people.weaker_id
    group by 1, 2
)

select
    cohorts.cohort_week,
    active.week,
    count(*) filter (active.messaged) as messaged_people,
    count(*) filter (active.clicked) as clickers,
    count(*) filter (active.messaged and active.clicked) as messaged_clickers
from active
inner join cohorts on active.person = cohorts.person
-- A click before the first message held belongs to a message that is not held.
where active.week >= cohorts.cohort_week
group by all;
