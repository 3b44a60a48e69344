-- The days to compute again: those that loads of the streams changed, those that look back at them by `lookback` days, and
-- with `all_later` every later one that holds rows. A full refresh takes every day that any row is about. No range of days
-- is walked from its first to its last day: a single row of the year 9999 would make it endless.

create or replace temp table found_days as
with changed as (
    select date from ops.touched_days where stream in ({streams})

    union

    -- A snapshot tells of opt-outs of earlier days, which matter where events are held.
    select (requested_at at time zone 'Asia/Seoul')::date
    from opt_outs_history
    where
        'opt_outs' in ({streams})
        and valid_from in (select date from ops.touched_days where stream = 'opt_outs')
        and requested_at >= (select min(date) from ops.coverage where stream = 'events')
),

last_one as (
    select greatest((select max(date) from ops.coverage), (select max(date) from changed)) as last_date
)

select date from changed

union

select changed.date + step::integer as date
from changed
cross join range(1, {lookback} + 1) as steps (step)
cross join last_one
where changed.date + step::integer <= last_one.last_date

union

select events.date
from events
where {all_later} and 'events' in ({streams}) and events.date > (select min(date) from changed);
