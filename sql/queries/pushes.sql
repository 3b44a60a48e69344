-- title: Pushes
-- question: What did each push send back to the service, and what did it leave out or lose?
-- params:
--   start (date, default last_day - 27): first KST day on which pushes began
--   end (date, default max(date)): last KST day; unless given, that of the newest push
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   push_id  begun_at  target  name  state  rows  sent  unchanged  rejected  unknown  erased  calls  note

with params as (
    select
        coalesce(getvariable('end')::date, max((begun_at at time zone 'Asia/Seoul')::date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day
    from ops.pushes
)

select
    pushes.push_id,
    pushes.begun_at,
    pushes.target,
    pushes.name,
    pushes.state,
    pushes.rows,
    pushes.sent,
    pushes.unchanged,
    pushes.rejected,
    pushes.unknown,
    pushes.erased,
    pushes.calls,
    pushes.note
from ops.pushes as pushes
inner join params on (pushes.begun_at at time zone 'Asia/Seoul')::date between params.first_day and params.last_day
order by pushes.begun_at desc, pushes.push_id desc;
