-- grain: one week of first messages and number of weeks since.

with cohorts as (
    select cohort_week, count(*) as users
    from marts.first_messages
    group by cohort_week
)

select
    weekly_cohorts.cohort_week,
    (weekly_cohorts.week - weekly_cohorts.cohort_week) // 7 as weeks_since,
    weekly_cohorts.week,
    cohorts.users,
    weekly_cohorts.messaged_users,
    weekly_cohorts.clickers,
    weekly_cohorts.clickers / cohorts.users as click_retention,
    weekly_cohorts.clickers / nullif(weekly_cohorts.messaged_users, 0) as clicker_share
from marts.weekly_cohorts
inner join cohorts on weekly_cohorts.cohort_week = cohorts.cohort_week;
