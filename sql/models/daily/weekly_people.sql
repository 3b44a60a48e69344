-- grain: one week, by its Monday, and person who got a message or clicked.
-- materialized: incremental
-- partition: week
-- depends_on: events
-- dirties: all later days

select
    date_trunc('week', date)::date as week,
    person,
    sum(messages + shown) > 0 as messaged,
    sum(clicked) > 0 as clicked
from marts.daily_people
where date in (select date from batch_days)
group by all;
