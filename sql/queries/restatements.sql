-- title: Restated counts
-- question: Which counts did the service change after it had given them, and by how much?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- sentences:
--   select count(*) as counts, count(distinct date) as days, max(days_after) as latest from answer having counts > 0
--     en: The service changed {counts} {counts#count|counts} of {days} {days#day|days} after it had given {counts#it|them}, the last one {latest} {latest#day|days} after the day.
--     ko: 서비스가 {days}일의 수치 {counts}개를 나중에 바꿨고, 가장 늦은 것은 {latest}일 뒤입니다.
--   select 1 where not exists (from answer)
--     en: No count of these days changed after it was first pulled.
--     ko: 이 기간의 수치는 처음 수집한 뒤 바뀌지 않았습니다.
-- example:
--   date        channel            resource_name     variant_or_node  counter       first_value  last_value  …
--   2026-11-18  push-notification  11월 재구매 유도  A                click         4            7           …
--   2026-11-18  push-notification  11월 재구매 유도  A                delivered     111          114         …
--   2026-11-18  push-notification  11월 재구매 유도  A                message_sent  130          133         …

with period as (from marts.period('statistics', days := 28))
select
    restated_days.date,
    restated_days.channel,
    restated_days.resource_name,
    coalesce(restated_days.variant_name, restated_days.user_journey_node_name) as variant_or_node,
    restated_days.counter,
    restated_days.first_value,
    restated_days.last_value,
    restated_days.difference,
    restated_days.kind,
    restated_days.changes,
    restated_days.days_after,
    restated_days.last_changed_at at time zone 'Asia/Seoul' as last_changed_at_kst,
    restated_days.resource_id,
    coalesce(restated_days.variant_id, restated_days.user_journey_node_id) as variant_or_node_id,
    restated_days.statistic_id
from marts.restated_days
inner join period on restated_days.date between period.first_day and period.last_day
order by restated_days.date, restated_days.statistic_id, restated_days.counter;
