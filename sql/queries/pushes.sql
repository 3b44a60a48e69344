-- title: Pushes
-- question: What did each push send back to the service, and what did it leave out or lose?
-- params:
--   start (date, default last_day - 27): first KST day on which pushes began
--   end (date, default max(date)): last KST day; unless given, that of the newest push
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   push_id  begun_at_kst  target  name  state  rows  sent  unchanged  rejected  unknown  erased  calls  note

with begun as (
    select *, begun_at at time zone 'Asia/Seoul' as begun_at_kst, begun_at_kst::date as date
    from ops.pushes
),
params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day
    from begun
)
select
    begun.push_id,
    begun.begun_at_kst,
    begun.target,
    begun.name,
    begun.state,
    begun.rows,
    begun.sent,
    begun.unchanged,
    begun.rejected,
    begun.unknown,
    begun.erased,
    begun.calls,
    begun.note
from begun
inner join params on begun.date between params.first_day and params.last_day
order by begun.begun_at desc, begun.push_id desc;
