-- Statements that find the days for which models and checks are refreshed.

-- name: batch
-- The days that the days of a batch look back at, and their bounds.
create or replace temp table lookback_days as
select distinct date - back::integer as date
from batch_days
cross join range({lookback} + 1) as days (back);

-- The bounds as variables, for views: DuckDB pushes a constant down into a view, but not always a list of days.
set variable first_batch_day = (select min(date) from batch_days);
set variable last_batch_day = (select max(date) from batch_days);
set variable first_lookback_day = getvariable('first_batch_day') - {lookback};

-- name: changes
-- The changes that make days dirty, as short lists. A day is a number, counted from 1970-01-01.
select
    -- The days that loads have changed.
    (
        select coalesce(list(distinct {'stream': stream, 'day': (date - date '1970-01-01')::integer}), [])
        from ops.touched_days
        where date is not null
    ) as touched,
    -- A snapshot reports opt-outs of earlier days, which are relevant for days that hold events.
    (
        select coalesce(list(distinct ((requested_at at time zone 'Asia/Seoul')::date - date '1970-01-01')::integer), [])
        from opt_outs_history
        where
            valid_from in (select date from ops.touched_days where stream = 'opt_outs')
            and requested_at >= (select min(date) from ops.coverage where stream = 'events')
            and isfinite(requested_at)
    ) as opt_outs_told,
    (
        select coalesce(list({'day': day, 'records': records}), [])
        from (
            select (date - date '1970-01-01')::integer as day, sum(rows)::bigint as records
            from ops.coverage
            group by date
        ) as days
    ) as covered,
    -- The days whose events have left this file, and those of them with records that may count on nearby days.
    (select coalesce(list((date - date '1970-01-01')::integer), []) from ops.removed_days) as removed,
    (
        select coalesce(list(distinct (removed_days.date - date '1970-01-01')::integer), [])
        from ops.removed_days
        inner join ops.load_notes using (date)
        where load_notes.stream = 'events' and load_notes.note = 'stray'
    ) as strays;

-- name: days
-- Fills a table with days of a refresh: the dirty days, the days that are left unchanged, or the days of one batch.
create or replace temp table {relation} as
select date '1970-01-01' + unnest($days::varchar[])::integer as date;

-- name: event_days
-- The days that hold events, from the first dirty day on.
select distinct (date - date '1970-01-01')::integer as day
from events
where date >= date '1970-01-01' + $first_dirty_day::integer;

-- name: every_day
-- For a full refresh: every day that any row is about.
select distinct (date - date '1970-01-01')::integer as day
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

-- name: forget_touched_days
delete from ops.touched_days;

-- name: for_checks
-- Relations that several checks read.

-- Every row of every message table with its key.
create or replace temp view message_rows as
{tables};

-- The days of the batch that both streams cover.
create or replace temp macro both_covered(one, other) as table
select date
from ops.coverage
semi join batch_days using (date)
where stream in (one, other)
group by date
having count(*) = 2;

-- Each day of the batch with itself (step 0) and so many days before it.
create or replace temp macro days_before(days) as table
select batch_days.date, (batch_days.date - steps.step)::date as near_date, steps.step
from batch_days
cross join (select unnest(range(days + 1))::integer as step) as steps;

-- name: no_batch
-- Creates empty tables, to which statements are bound before the first batch.
create or replace temp table batch_days (date date);

create or replace temp table lookback_days (date date);

-- Remains empty if no day was removed.
create or replace temp table spared_days (date date);
