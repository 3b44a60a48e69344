-- title: Cohorts and click retention
-- question: Of those who got their first message in a week, how many still click weeks later?
-- counts: people
-- params:
--   weeks (bigint, default 12, from 0): how many weeks after the first one to show
-- In other DuckDB clients, set parameters before: set variable weeks = 8;
-- example:
--   cohort_week  weeks_since  users  messaged_users  clickers  click_retention  clicker_share  is_complete
--   2026-11-02   0            496    496             203       0.4093           0.4093         true
--   2026-11-02   1            496    468             241       0.4859           0.515          true
--   2026-11-02   2            496    494             183       0.369            0.3704         false

select
    cohort_retention.cohort_week,
    cohort_retention.weeks_since,
    cohort_retention.users,
    cohort_retention.messaged_users,
    cohort_retention.clickers,
    round(cohort_retention.click_retention, 4) as click_retention,
    round(cohort_retention.clicker_share, 4) as clicker_share,
    cohort_retention.is_complete
from marts.cohort_retention
where cohort_retention.weeks_since <= coalesce(getvariable('weeks')::bigint, 12)
order by cohort_retention.cohort_week, cohort_retention.weeks_since;
