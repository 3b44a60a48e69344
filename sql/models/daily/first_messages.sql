-- grain: one person, by the day of the first message.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
-- unique_key: person

select
    person,
    min(date) as date,
    date_trunc('week', min(date))::date as cohort_week
from marts.event_people
where date in (select date from batch_days) and person is not null and marts.is_reaching(kind, channel)
group by person;
