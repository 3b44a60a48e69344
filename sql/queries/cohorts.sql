-- title: Cohorts and click retention
-- title_ko: 코호트별 클릭 리텐션
-- chart: line weeks_since click_retention by cohort_week
-- subject: people
-- question: How many people still click weeks after their first message?
-- question_ko: 첫 메시지를 받은 뒤 주차별로 몇 %의 고객이 클릭하나요?
-- words: weekly active, 활성 고객, retention, retention rate, 리텐션, 유지율, 잔존율, first messaged, still click, later months, later weeks, user retention, 코호트
-- also: people
-- params:
--   weeks (bigint, default 12, from 0): how many weeks after the first one to show
-- sentences:
--   from answer where weeks_since = 1 and is_complete and click_retention is not null order by cohort_week desc limit 1
--     en: {click_retention} of the {people} people who got their first message in the week of {cohort_week:day} clicked in the week
--       after.
--     ko: {cohort_week:day}에 시작하는 주에 처음 메시지를 받은 {people}명 중 {click_retention}가 다음 주에 클릭했습니다.
--   select date_trunc('week', min(date))::date as week from ops.coverage where stream = 'events' having week is not null
--     en: The week of {week:day} is not shown. Events begin there, so these people may have got earlier messages.
--     ko: {week:day}에 시작하는 주는 표시하지 않습니다. 데이터가 시작되는 주여서 그 전에 이미 메시지를 받은 사람이 섞여 있을 수 있습니다.
--     as: note

select
    * exclude (week)
    replace (round(click_retention, 6) as click_retention, round(clicker_share, 6) as clicker_share)
from marts.cohort_retention
where
    cohort_retention.weeks_since <= coalesce(getvariable('weeks')::bigint, 12)
    -- The first available week is left out, because its people may have got earlier messages.
    and cohort_retention.cohort_week > (
        select date_trunc('week', min(date)) from ops.coverage where stream = 'events'
    )
order by cohort_retention.cohort_week, cohort_retention.weeks_since;
