-- title: Cohorts and click retention
-- title_ko: 코호트와 클릭 유지율
-- subject: people
-- question: Of those who got their first message in a week, how many still click weeks later?
-- also: people
-- params:
--   weeks (bigint, default 12, from 0): how many weeks after the first one to show
-- sentences:
--   from answer where weeks_since = 1 and is_complete and click_retention is not null order by cohort_week desc limit 1
--     en: Of the {people} people whose first message came in the week of {cohort_week:day}, {click_retention} clicked in the week
--       after.
--     ko: {cohort_week:day}에 시작하는 주에 첫 메시지를 받은 {people}명 중 {click_retention}가 다음 주에 클릭했습니다.
--   select date_trunc('week', min(date))::date as week from ops.coverage where stream = 'events' having week is not null
--     en: People first seen in the week of {week:day} are left out: the history begins there, so their first message may be older.
--     ko: {week:day}에 시작하는 주는 데이터가 시작되는 주여서 첫 메시지가 더 오래되었을 수 있으므로 제외했습니다.
--     as: note

select
    * exclude (week)
    replace (round(click_retention, 4) as click_retention, round(clicker_share, 4) as clicker_share)
from marts.cohort_retention
where
    cohort_retention.weeks_since <= coalesce(getvariable('weeks')::bigint, 12)
    -- People of the first week held may have got messages before: they are no cohort.
    and cohort_retention.cohort_week > (
        select date_trunc('week', min(date)) from ops.coverage where stream = 'events'
    )
order by cohort_retention.cohort_week, cohort_retention.weeks_since;
