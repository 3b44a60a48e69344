-- title: Restated counts
-- title_ko: 정정된 수치
-- chart: line date difference by counter
-- subject: the data
-- question: Which counts did the service change later, and by how much?
-- question_ko: 메시지 서비스가 나중에 바꾼 수치는 무엇이고, 얼마나 바뀌었나요?
-- words: changed numbers, 수치가 바뀐 날, late data
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   by (varchar, default 'day', one of day statistic): the sum of each day and counter, or each changed count
-- sentences:
--   select count(distinct date) as days, max(days_after) as latest from answer having days > 0
--     en: The service changed the counts of {days} of these days later, at most {latest} {latest#day|days} after the first counts.
--       The warehouse has the new counts.
--     ko: 이 기간 중 {days}일의 수치가 나중에 정정되었습니다(가장 늦은 정정은 {latest}일 뒤). 지금 보이는 수치는 정정된 값입니다.
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'statistics')
--     en: No count of these days has changed.
--     ko: 이 기간의 수치는 정정되지 않았습니다.

with params as (
    select
        *,
        marts.choice('by', ['day', 'statistic']) = 'statistic' as by_statistic
    from marts.period('statistics', days := 28)
),
changed as (
    select
        restated_days.date,
        restated_days.counter,
        sum(restated_days.difference)::bigint as difference,
        count(*) as statistics_changed,
        max(restated_days.days_after) as days_after,
        max(restated_days.last_changed_at) at time zone 'Asia/Seoul' as last_changed_at_kst,
        if(params.by_statistic, restated_days.statistic_id, null) as statistic_id
    from marts.restated_days
    inner join params on restated_days.date between params.first_date and params.last_date
    group by restated_days.date, restated_days.counter, if(params.by_statistic, restated_days.statistic_id, null)
)
select
    changed.date,
    changed.counter,
    changed.difference,
    changed.statistics_changed,
    changed.days_after,
    changed.last_changed_at_kst,
    restated_days.channel,
    restated_days.resource_name,
    coalesce(restated_days.variant_name, restated_days.user_journey_node_name) as variant_or_node,
    restated_days.first_value,
    restated_days.last_value,
    restated_days.kind,
    restated_days.changes,
    restated_days.resource_id,
    coalesce(restated_days.variant_id, restated_days.user_journey_node_id) as variant_or_node_id,
    changed.statistic_id
from changed
left join marts.restated_days
    on
        changed.date = restated_days.date
        and changed.counter = restated_days.counter
        and changed.statistic_id = restated_days.statistic_id
order by changed.date, changed.statistic_id, changed.counter;
