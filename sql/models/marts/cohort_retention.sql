-- grain: one week of first messages and number of weeks since, up to the week of the last day held.
--
-- A week without activity of the cohort has a row of zeros. is_complete says whether all days of the week are held: a week in
-- progress, or with missing days, shows too few people.

with held as (
    select date_trunc('week', date)::date as week, count(*) as days_held
    from ops.coverage
    where stream = 'events'
    group by all
),

-- Every person of a cohort received a message in its first week.
cohorts as (
    select cohort_week, messaged_people as people
    from marts.weekly_cohorts
    where week = cohort_week
),

weeks as (
    select cohort_week, people, unnest(range(cohort_week, last_week + 1, interval 7 days))::date as week
    from cohorts
    cross join (select max(week) as last_week from held) as latest
    union
    -- A stray record may be dated later than any day held.
    select weekly_cohorts.cohort_week, cohorts.people, weekly_cohorts.week
    from marts.weekly_cohorts
    inner join cohorts on weekly_cohorts.cohort_week = cohorts.cohort_week
)

select
    weeks.cohort_week,
    (weeks.week - weeks.cohort_week) // 7 as weeks_since,
    weeks.week,
    weeks.people,
    coalesce(weekly_cohorts.messaged_people, 0) as messaged_people,
    coalesce(weekly_cohorts.clickers, 0) as clickers,
    coalesce(weekly_cohorts.clickers, 0) / weeks.people as click_retention,
    weekly_cohorts.messaged_clickers / nullif(weekly_cohorts.messaged_people, 0) as clicker_share,
    coalesce(held.days_held, 0) = 7 as is_complete
from weeks
left join marts.weekly_cohorts
    on weeks.cohort_week = weekly_cohorts.cohort_week and weeks.week = weekly_cohorts.week
left join held on weeks.week = held.week;
