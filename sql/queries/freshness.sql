-- title: Freshness
-- title_ko: 데이터 최신성
-- subject: the data
-- question: How up to date is each stream, and how many of its days are missing?
-- question_ko: 데이터는 종류별로 며칠까지 들어왔고, 빠진 날짜는 며칠인가요?
-- words: up to date, how fresh, latest data, late data, data late, how late, arrive late, delay, did the night run succeed, run succeed, when was data loaded, 언제까지, 데이터 지연
-- params:
--   stream (varchar, default null, one of statistics statistics_by_subchannel campaigns events catalogs brand_templates alimtalk_templates opt_outs): only this stream
-- sentences:
--   select list(stream order by stream) as streams, max(days_behind_newest) as days from answer where days_behind_newest > 0 having
--   count(*) > 0
--     en: {streams:stream}: up to {days} {days#day|days} behind the other data.
--     ko: {streams:stream}{이/가} 다른 데이터보다 최대 {days}일 늦습니다.
--   select max(last_date) as last_date from answer having bool_and(days_behind_newest = 0 and days_missing = 0) and not
--   exists (from ops.days where state in ('under_way', 'waits'))
--     en: No stream is behind.
--     ko: 지연된 데이터가 없습니다.
--   select stream, days_missing as days from answer where days_missing > 0
--     en: {stream}: {days} {days#day is|days are} missing; `dawnload query missing-days` lists them.
--     ko: {stream} 데이터 {days}일분이 빠져 있습니다. 날짜는 `dawnload query missing-days`로 확인하세요.
--   select count(*) as days from ops.days as day where state = 'waits' and marts.matches('stream', day.stream) having days > 0
--     en: Events: {days} {days#day needs|days need} your decision; see `dawnload exports list`.
--     ko: 이벤트 {days}일분은 담당자 확인이 필요합니다. `dawnload exports list`로 확인하세요.
--   select days_removed as days from answer where days_removed > 0
--     en: Retention removed the events of {days} {days#day|days}; what was computed from them remains.
--     ko: 이벤트 {days}일분은 보존 기간이 지나 삭제되었고, 계산된 값은 남아 있습니다.
--     as: note
--   select people, listed, events from ops.exclusions
--     en: Not counted: {events} {events#event|events} of staff and test people. {people} of {listed} ids under `exclude` have events.
--     ko: 직원·테스트 계정의 이벤트 {events}건은 집계하지 않습니다. 제외 설정(`exclude`)의 ID {listed}개 중 {people}개에 이벤트가 있습니다.
--     as: note
--   select 1 where not exists (from answer)
--     en: No data yet. `dawnload run` loads the first days.
--     ko: 아직 데이터가 없습니다. `dawnload run`을 실행하면 첫 데이터를 가져옵니다.

select * exclude (last_pulled_at, rows), last_pulled_at at time zone 'Asia/Seoul' as last_pulled_at_kst, rows
from marts.freshness
where marts.matches('stream', freshness.stream)
order by freshness.stream;
