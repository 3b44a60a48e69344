-- grain: one person, by the day of the first message.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
-- unique_key: person

select
    person,
    min(date) as date,
    date_trunc('week', min(date))::date as cohort_week
from marts.daily_people
where date in (select date from batch_days) and messages + shown > 0
group by person;
