-- title: Missing days
-- subject: the data
-- question: Which days does the warehouse lack, stream by stream, up to the last complete one, and which did retention remove?
-- params:
--   start (date, default first_held): first KST day to look at; unless given, the first one that any stream has
--   end (date, default (now_in_korea - interval 7 hours)::date - 1): last KST day to look at; unless given, the last complete one
--   stream (varchar, default null, one of statistics statistics_by_subchannel campaigns events): only this stream
--   now (timestamptz, default now()): the present, for a look at what was complete at another time
-- sentences:
--   select stream, sum(days) as days, min(first_date) as first_date, max(last_date) as last_date from answer where reason = 'missing'
--   and exists (from ops.coverage where coverage.stream = answer.stream and coverage.date < answer.first_date) group by stream
--     en: {stream}: {days} {days#day|days} missing {first_date~last_date}.
--     ko: {stream} 데이터가 {first_date~last_date} 사이에 {days}일 빠져 있습니다.
--   select count(distinct day) as days from (select unnest(generate_series(first_date, last_date, interval 1 day)) as day from answer
--   where stream = 'statistics' and exists (from ops.coverage where coverage.stream = answer.stream and coverage.date <
--   answer.first_date)) where day > (select max(date) - 14 from ops.coverage where stream = 'statistics') having days > 0
--     en: Statistics of {days} {days#day|days} of the last two weeks are missing, so sums are too low.
--     ko: 최근 2주 중 {days}일의 통계가 빠져 있어 합계가 실제보다 작습니다.
--     as: alert
--   select 1 where exists (from ops.coverage) and not exists (from answer where reason = 'missing' and exists (from ops.coverage
--   where coverage.stream = answer.stream and coverage.date < answer.first_date))
--     en: No day is wholly missing since the first one of each stream.
--     ko: 데이터 종류별 첫 날짜 이후로 통째로 빠진 날짜는 없습니다.
--   select count(distinct first_date) as gaps, bool_or(stream <> 'events') as is_free from answer where reason = 'missing' and
--   exists (from ops.coverage where coverage.stream = answer.stream and coverage.date < answer.first_date) having
--   bool_or(stream <> 'events')
--     en: `dawnload run` asks again for the missing days of free streams.
--     ko: `dawnload run`을 실행하면 무료 데이터의 빠진 날짜를 다시 요청합니다.
--     as: to do
--   select 1 from answer where stream = 'events' and reason = 'missing' and exists (from ops.coverage where coverage.stream =
--   'events' and coverage.date < answer.first_date) limit 1
--     en: `dawnload plan` shows what the missing days of events cost.
--     ko: 빠진 이벤트 날짜의 비용은 `dawnload plan`으로 확인하세요.
--     as: to do
--   select sum(days) as days, min(first_date) as first_date, max(last_date) as last_date from answer where reason = 'removed by retention'
--   having days > 0
--     en: The events of {days} {days#day|days} {first_date~last_date} were removed by retention.
--     ko: {first_date~last_date} 사이의 이벤트 {days}일분은 보존 기간이 지나 삭제되었습니다.
--     as: note
-- example:
--   stream  first_date  last_date   days  reason
--   events  2026-09-26  2026-11-01  37    missing

with clock as (
    select
        coalesce(getvariable('now')::timestamptz, now()) at time zone 'Asia/Seoul' as now_in_korea,
        -- Reference data cannot miss days: every snapshot is complete.
        min(date) as first_held
    from ops.coverage
    where not marts.is_snapshot(stream)
),
params as (
    select
        coalesce(getvariable('start')::date, first_held) as first_date,
        -- Yesterday is complete from 07:00 KST on (E17). Later days are not due yet.
        coalesce(getvariable('end')::date, (now_in_korea - interval 7 hours)::date - 1) as wanted_day,
        least(wanted_day, (now_in_korea - interval 7 hours)::date - 1) as last_date
    from clock
),
streams as (
    select unnest(['statistics', 'statistics_by_subchannel', 'campaigns', 'events']) as stream
),
wanted as (
    select
        streams.stream,
        unnest(generate_series(params.first_date, params.last_date, interval 1 day))::date as date
    from streams
    cross join params
    where marts.matches('stream', streams.stream)
),
missing as (
    select
        wanted.stream,
        wanted.date,
        if(coverage.date is null, 'missing', 'removed by retention') as reason,
        -- Consecutive days have the same difference between date and row number, so they form one gap.
        wanted.date - row_number() over (partition by wanted.stream, coverage.date is null order by wanted.date)::integer as gap
    from wanted
    left join ops.coverage
        on wanted.stream = coverage.stream and wanted.date = coverage.date
    where coverage.date is null or (wanted.stream = 'events' and wanted.date in (select date from ops.removed_days))
)
select
    stream,
    min(date) as first_date,
    max(date) as last_date,
    count(*) as days,
    reason
from missing
group by stream, reason, gap
order by stream, first_date;
