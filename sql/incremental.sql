-- Statements that find the days for which models and checks are refreshed.

-- name: changed
-- The streams with changed days, and whether events of any day were removed from this file.
select
    (select coalesce(list(distinct stream), []) from ops.touched_days where date is not null) as streams,
    exists (from ops.removed_days) as any_removed;

-- name: spared
-- Days that keep their computed rows because events were removed from the file: the removed days, the days that look back at them,
-- and in a full refresh also nearby days on which removed records may count. Except for the removed days, a day is computed again
-- if its own events changed.
create or replace temp table spared_days as
with steps as (
    select unnest(range(1, {lookback} + 1))::integer as step, false as from_stray
    union all
    select unnest(range(-31, 32))::integer, true where {full}
)

select date
from ops.removed_days
where {spares}
union
select near.date
from (
    select (removed_days.date + steps.step)::date as date
    from ops.removed_days
    cross join steps
    where
        {spares} and {keeps_rows}
        and (not from_stray or removed_days.date in (select date from ops.load_notes where stream = 'events' and note = 'stray'))
) as near
anti join (select date from ops.touched_days where stream = 'events') as own using (date);

-- name: dirty
-- The dirty days: changed days, days that look back at them, and with `all_later` every later day with events. Ranges are never
-- enumerated day by day, because a row in the year 9999 would make a range endless.
create or replace temp table dirty_days as
with changed as (
    select date
    from ops.touched_days
    where stream in ({streams}) and date is not null
    union
    -- A snapshot reports opt-outs of earlier days, which matter for days with events.
    select (requested_at at time zone 'Asia/Seoul')::date
    from opt_outs_history
    where
        'opt_outs' in ({streams})
        and valid_from in (select date from ops.touched_days where stream = 'opt_outs')
        and requested_at >= (select min(date) from ops.coverage where stream = 'events')
        and isfinite(requested_at)
),

-- Includes days without events, because they also look back at earlier days.
later as (
    select date
    from changed
    union
    select date
    from events
    where {all_later} and date > (select min(date) from changed)
),

found as (
    select date
    from later
    union
    select (later.date + steps.step)::date
    from later
    cross join (select unnest(range(1, {lookback} + 1))::integer as step) as steps
    where later.date + steps.step <= greatest((select max(date) from changed), (select max(date) from ops.coverage))
)

select distinct (date_trunc('{partition}', date)::date + unnest(range({days}))::integer)::date as date
from (select date from found where not {full} union all select date from every_day where {full}) as wanted
anti join spared_days using (date);

-- Divides the dirty days, in order, into batches of about a month and a million records, so that each fits into memory. Days of one
-- week stay together if rows are by week.
select list(date::varchar order by date) as days
from (
    select
        dirty_days.date,
        date_trunc('{partition}', dirty_days.date) as part,
        sum(coalesce(covered.records, 0)) over (order by part) // 1000000 as filled,
        (dense_rank() over (order by part) - 1) * {days} // 31 as month
    from dirty_days
    left join (select date, sum(rows) as records from ops.coverage group by date) as covered using (date)
) as sized
group by filled, month
order by min(date);

-- name: batch
-- The days of a batch, the days that they look back at, and the first and last day.
create or replace temp table batch_days as
select unnest([{days}])::date as date;

create or replace temp table lookback_days as
select distinct date - back::integer as date
from batch_days
cross join range({lookback} + 1) as days (back);

-- The bounds as variables, for views, because DuckDB pushes constants down into a view, but not always a list of days.
set variable first_batch_day = (select min(date) from batch_days);
set variable last_batch_day = (select max(date) from batch_days);
set variable first_lookback_day = getvariable('first_batch_day') - {lookback};

-- name: every_day
-- For a full refresh: all days with rows.
create or replace temp table every_day as
select distinct date
from (
    select date from ops.coverage
    union
    select date from ops.touched_days
    union
    select date from ops.load_notes
    union
    select date from daily_statistics
    union
    select date from daily_conversions
    union
    select date from daily_statistics_by_subchannel
    union
    select date from daily_conversions_by_subchannel
    union
    select date from campaign_metrics
    union
    select date from campaign_metric_dimensions
    union
    select date from events
    union
    select export_date from events
    union
    select unnest([date, export_date]) from message_rows
    union
    select valid_from from opt_outs_history
    union
    select (requested_at at time zone 'Asia/Seoul')::date
    from opt_outs_history
    where requested_at >= (select min(date) from ops.coverage where stream = 'events')
) as days
where isfinite(date);

-- name: clear_touched_days
delete from ops.touched_days;

-- name: for_checks
-- Relations that several checks read.

-- The day of each row of every stream with days.
create or replace temp view stream_rows as
{stream_rows};

-- The days of the batch that both streams cover.
create or replace temp macro both_covered(one, other) as table
select date
from ops.coverage
semi join batch_days using (date)
where stream in (one, other)
group by date
having count(*) = 2;

-- Pairs each day of the batch with itself (step 0) and with the given number of earlier days.
create or replace temp macro days_before(days) as table
select batch_days.date, (batch_days.date - steps.step)::date as near_date, steps.step
from batch_days
cross join (select unnest(range(days + 1))::integer as step) as steps;

-- name: no_batch
-- Creates empty tables, because statements are bound to them before the first batch exists.
create or replace temp table batch_days (date date);

create or replace temp table lookback_days (date date);

-- Filled for a full refresh.
create or replace temp table every_day (date date);

-- Empty unless a day was removed.
create or replace temp table spared_days (date date);
