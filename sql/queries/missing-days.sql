-- title: Missing days
-- title_ko: 누락된 날짜
-- subject: the data
-- question: Which days of each stream are missing or were removed by retention, and on which day do data begin?
-- question_ko: 데이터 종류별로 누락되거나 삭제된 날짜는 언제이고, 데이터는 며칠부터 있나요?
-- words: first day, since when, data begin, 언제부터, 첫 날짜, incomplete days, missing or late, 빠진 날, 데이터가 빠진 날, did the data arrive, data complete, 누락된 날짜, missing data, data missing, gaps, complete, 빠진 데이터
-- params:
--   start (date, default null): first KST day; by default, and at the earliest, the first day of the settings
--   end (date, default null): last KST day; by default, and at the latest, the last complete day
--   stream (varchar, default null, one of statistics statistics_by_subchannel campaigns events): only this stream
--   now (timestamptz, default now()): the time to use as now
-- sentences:
--   select stream, sum(days) as days, min(first_date) as first_date, max(last_date) as last_date from answer where reason = 'missing'
--   group by stream
--     en: {stream}: {days} {days#day|days} missing {first_date~last_date}.
--     ko: {stream} 데이터 {days}일분이 빠져 있습니다({first_date~last_date}).
--   select count(distinct day) as days from (select unnest(generate_series(first_date, last_date, interval 1 day)) as day from answer
--   where stream = 'statistics') where day > (select max(date) - 14 from ops.coverage where stream = 'statistics') having days > 0
--     en: Statistics of {days} {days#day|days} in the last two weeks are missing, so totals are too low.
--     ko: 최근 2주 중 {days}일의 통계가 빠져 있어 합계가 실제보다 작습니다.
--     as: alert
--   select 1 where exists (from ops.coverage) and not exists (from answer where reason not in ('removed by retention', 'given up'))
--     en: No days are missing.
--     ko: 누락된 날짜가 없습니다.
--   select list(stream order by stream) as stream, first_date from (select stream, min(date) as first_date from ops.coverage where stream in
--   ('statistics', 'statistics_by_subchannel', 'campaigns', 'events') and marts.matches('stream', stream) group by stream) group by
--   first_date order by first_date
--     en: Data begin on {first_date}: {stream}.
--     ko: {first_date}부터 데이터가 있습니다: {stream}.
--     as: note
--   select count(distinct first_date) as gaps from answer where reason = 'missing' and stream <> 'events' having gaps > 0
--     en: `dawnload run` requests the missing days of free streams again.
--     ko: `dawnload run`을 실행하면 무료 데이터의 빠진 날짜를 다시 요청합니다.
--     as: to do
--   select 1 from answer where stream = 'events' and reason = 'missing' limit 1
--     en: `dawnload plan` shows what the missing days of events cost.
--     ko: 빠진 이벤트 날짜의 비용은 `dawnload plan`으로 확인하세요.
--     as: to do
--   select sum(days) as days, min(first_date) as first_date, max(last_date) as last_date from answer where reason = 'paid for, not
--   loaded yet' having days > 0
--     en: The events of {days} {days#day|days} {first_date~last_date} are paid for; the next run loads them.
--     ko: 결제한 이벤트 {days}일분({first_date~last_date})을 아직 적재하지 않았습니다. 다음 실행에서 적재합니다.
--     as: note
--   select sum(days) as days, min(first_date) as first_date, max(last_date) as last_date from answer where reason = 'needs your decision'
--   having days > 0
--     en: Your decision is needed for {days} {days#day|days} {first_date~last_date}; see `dawnload exports list`.
--     ko: 이벤트 {days}일분({first_date~last_date})은 담당자 확인이 필요합니다. `dawnload exports list`로 확인하세요.
--     as: to do
--   select sum(days) as days, min(first_date) as first_date, max(last_date) as last_date from answer where reason = 'given up'
--   having days > 0
--     en: You gave up the events of {days} {days#day|days} {first_date~last_date}; see `dawnload exports list`.
--     ko: 이벤트 {days}일분({first_date~last_date})은 담당자가 포기했습니다. `dawnload exports list`로 확인하세요.
--     as: note
--   select sum(days) as days, min(first_date) as first_date, max(last_date) as last_date from answer where reason = 'removed by retention'
--   having days > 0
--     en: Retention removed the events of {days} {days#day|days} {first_date~last_date}.
--     ko: 보존 기간이 지나 삭제된 이벤트가 {days}일분 있습니다({first_date~last_date}).
--     as: note

with clock as (
    -- Yesterday is complete from 07:00 KST on (E17). Later days cannot be missing yet.
    select (coalesce(getvariable('now')::timestamptz, now()) at time zone 'Asia/Seoul' - interval 7 hours)::date - 1 as last_complete
),
known as (
    select stream, date from ops.days where state <> 'not_complete'
),
-- Wanted days that the last run found missing, and days of its streams that became complete afterwards.
lacking as (
    select stream, date, state
    from ops.days
    where state in ('missing', 'under_way', 'waits', 'given_up')
    union all
    -- Days that are not wanted may be loaded as well.
    select 'events', date, 'removed' from ops.removed_days
    union all
    select streams.stream, unnest(generate_series(last_known + 1, last_complete, interval 1 day))::date, 'missing'
    from (select distinct stream from known) as streams
    cross join (select max(date)::date as last_known from known) as newest
    cross join clock
),
reasons as (
    select
        stream,
        date,
        case state
            when 'missing' then 'missing'
            when 'under_way' then 'paid for, not loaded yet'
            when 'waits' then 'needs your decision'
            when 'given_up' then 'given up'
            else 'removed by retention'
        end as reason,
        -- The difference between date and row number is equal for consecutive days, which form one gap.
        date - row_number() over (partition by stream, reason order by date)::integer as gap
    from lacking
    cross join clock
    where
        date >= coalesce(getvariable('start')::date, date)
        and date <= coalesce(getvariable('end')::date, date)
        and date <= last_complete
        and marts.matches('stream', stream)
)
select
    stream,
    min(date) as first_date,
    max(date) as last_date,
    count(*) as days,
    reason
from reasons
group by stream, reason, gap
order by stream, first_date;
