-- title: Restated days
-- question: By how much did the service change the counts of each day after it had given them?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- sentences:
--   select count(distinct date) as days, max(days_after) as latest from answer having days > 0
--     en: The service changed the counts of {days} of the last 28 days after it had given them, the latest {latest} {latest#day|days}
--       later. The warehouse holds the new counts.
--     ko: 최근 28일 중 {days}일의 수치가 제공된 뒤에 정정되었고, 가장 늦은 정정은 {latest}일 뒤였습니다. 웨어하우스에는 정정된 수치가 들어 있습니다.
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'statistics')
--     en: No change of a count of the last 28 days is known.
--     ko: 최근 28일의 수치가 정정된 기록은 없습니다.
-- example:
--   date        counter       difference  statistics_changed  days_after  last_changed_at_kst
--   2026-11-18  click         3           1                   3           2026-11-21 07:30:00
--   2026-11-18  delivered     3           1                   3           2026-11-21 07:30:00
--   2026-11-18  message_sent  3           1                   3           2026-11-21 07:30:00

with period as (from marts.period('statistics', days := 28))
select
    restated_days.date,
    restated_days.counter,
    sum(restated_days.difference)::bigint as difference,
    count(*) as statistics_changed,
    max(restated_days.days_after) as days_after,
    max(restated_days.last_changed_at) at time zone 'Asia/Seoul' as last_changed_at_kst
from marts.restated_days
inner join period on restated_days.date between period.first_day and period.last_day
group by restated_days.date, restated_days.counter
order by restated_days.date, restated_days.counter;
