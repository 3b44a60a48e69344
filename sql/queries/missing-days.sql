-- title: Missing days
-- question: Which days does the warehouse lack, stream by stream, up to the last complete one?
-- params:
--   start (date, default first_held): first KST day to look at; unless given, the first one that any stream has
--   end (date, default (now_in_korea - interval 7 hours)::date - 1): last KST day to look at; unless given, the last complete one
--   stream (varchar, default null, one of statistics statistics_by_subchannel campaigns events): only this stream
--   now (timestamptz, default now()): the present, for a look at what was complete at another time
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   stream  first_day   last_day    days
--   events  2026-09-26  2026-11-01  37

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
        coalesce(getvariable('start')::date, first_held) as first_day,
        -- Yesterday is complete from 07:00 KST on (E17). Later days are not due yet.
        coalesce(getvariable('end')::date, (now_in_korea - interval 7 hours)::date - 1) as wanted_day,
        least(wanted_day, (now_in_korea - interval 7 hours)::date - 1) as last_day
    from clock
),
streams as (
    select unnest(['statistics', 'statistics_by_subchannel', 'campaigns', 'events']) as stream
),
wanted as (
    select
        streams.stream,
        unnest(generate_series(params.first_day, params.last_day, interval 1 day))::date as date
    from streams
    cross join params
    where marts.matches('stream', streams.stream)
),
missing as (
    select
        wanted.stream,
        wanted.date,
        -- Consecutive days have the same difference between date and row number, so they form one gap.
        wanted.date - row_number() over (partition by wanted.stream order by wanted.date)::integer as gap
    from wanted
    anti join ops.coverage
        on wanted.stream = coverage.stream and wanted.date = coverage.date
)
select
    stream,
    min(date) as first_day,
    max(date) as last_day,
    count(*) as days
from missing
group by stream, gap
order by stream, first_day;
