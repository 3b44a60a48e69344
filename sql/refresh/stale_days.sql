-- The days of a model that are to be computed again: those that its streams changed, and those that look back at them.
-- `anew`: all days. `reach`: how many days after a changed one look back at it; null for all of them. No range of days is
-- walked from its first to its last day: a single row of the year 9999 would make it endless.

create or replace temp table stale_days as
with changed as (
    select date from ops.touched_days where not getvariable('anew') and list_contains(getvariable('streams'), stream)
    union
    select date from ops.coverage where getvariable('anew') and list_contains(getvariable('streams'), stream)
    union
    select date from events where getvariable('anew') and list_contains(getvariable('streams'), 'events')
),

last_one as (
    select greatest((select max(date) from ops.coverage), (select max(date) from changed)) as last_date
),

looking_back as (
    select date from changed

    union

    select changed.date + step::integer as date
    from changed
    cross join range(1, coalesce(getvariable('reach'), 0) + 1) as steps (step)
    cross join last_one
    where changed.date + step::integer <= last_one.last_date

    union

    -- What looks back at everything has something to look at only on days that hold rows.
    select events.date
    from events
    where
        getvariable('reach') is null
        and list_contains(getvariable('streams'), 'events')
        and events.date > (select min(date) from changed)
),

whole_weeks as (
    select date_trunc('week', date)::date + day::integer as date
    from looking_back
    cross join range(7) as days (day)
    where getvariable('by_week')
)

select date from looking_back where date is not null
union
select date from whole_weeks where date is not null;
