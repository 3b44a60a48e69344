-- grain: one week of first messages and number of weeks since, up to the week of the last loaded day.
--
-- A person first seen as a device and later as a user is one person; the earlier first message counts. A week without activity of
-- the cohort has a row of zeros, but clicks are unknown if no channel counts them. is_complete: all days of the week are loaded. A
-- week in progress, or with missing days, shows too few people.

with joined as (
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
),

weekly_cohorts as (
    select
        joined.cohort_week,
        active.week,
        count(*) filter (active.messaged) as messaged_people,
        count(*) filter (active.clicked) as clickers,
        count(*) filter (active.messaged and active.clicked) as messaged_clickers
    from active
    inner join joined on active.person = joined.person
    -- A click before the first loaded message is on a message that is not loaded.
    where active.week >= joined.cohort_week
    group by all
),

held as (
    select date_trunc('week', date)::date as week, count(*) as days_held
    from ops.coverage
    where stream = 'events'
    group by all
),

-- Every person of a cohort got a message in the cohort's first week.
cohorts as (
    select cohort_week, messaged_people as people
    from weekly_cohorts
    where week = cohort_week
),

weeks as (
    select cohort_week, people, unnest(range(cohort_week, last_week + 1, interval 7 days))::date as week
    from cohorts
    cross join (select max(week) as last_week from held) as latest
    union
    -- Leaves out stray records that are dated after the last loaded day.
    select weekly_cohorts.cohort_week, cohorts.people, weekly_cohorts.week
    from weekly_cohorts
    inner join cohorts on weekly_cohorts.cohort_week = cohorts.cohort_week
),

counters as (
    select bool_or(counts_clicks) as counts_clicks
    from marts.channel_counters
)

select
    weeks.cohort_week,
    (weeks.week - weeks.cohort_week) // 7 as weeks_since,
    weeks.week,
    weeks.people,
    coalesce(weekly_cohorts.messaged_people, 0) as messaged_people,
    if(counters.counts_clicks, coalesce(weekly_cohorts.clickers, 0), null) as clickers,
    if(counters.counts_clicks, coalesce(weekly_cohorts.clickers, 0) / weeks.people, null) as click_retention,
    if(
        counters.counts_clicks,
        weekly_cohorts.messaged_clickers / nullif(weekly_cohorts.messaged_people, 0),
        null
    ) as clicker_share,
    coalesce(held.days_held, 0) = 7 as is_complete
from weeks
cross join counters
left join weekly_cohorts
    on weeks.cohort_week = weekly_cohorts.cohort_week and weeks.week = weekly_cohorts.week
left join held on weeks.week = held.week;
