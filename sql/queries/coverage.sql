-- title: Days held
-- question: Which days does the warehouse hold of each stream, and with how many rows?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   stream (varchar, default null, one of statistics statistics_by_subchannel campaigns events): only this stream
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   stream     date        is_held  rows
--   campaigns  2026-10-24  true     80
--   campaigns  2026-10-25  true     64
--   campaigns  2026-10-26  true     110

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('stream')::varchar as only_stream
    from ops.coverage
)
select
    coverage_days.stream,
    coverage_days.date,
    coverage_days.is_held,
    coverage_days.rows
from marts.coverage_days
inner join params on coverage_days.date between params.first_day and params.last_day
where params.only_stream is null or coverage_days.stream = params.only_stream
order by coverage_days.stream, coverage_days.date;
