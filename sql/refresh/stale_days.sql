-- The days of a model that are to be computed again: those that its streams changed, and those that look back at them.
-- `anew`: all days. `reach`: how many days after a changed one look back at it; null for all of them.

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
    select unnest(
        generate_series(
            changed.date,
            case
                when getvariable('reach') is null then last_one.last_date
                else least(changed.date + getvariable('reach')::integer, last_one.last_date)
            end,
            interval 1 day
        )
    )::date as date
    from (
        -- Of those that reach to the end, the first one reaches them all.
        select date from changed where getvariable('reach') is not null
        union all
        select min(date) from changed where getvariable('reach') is null
    ) as changed
    cross join last_one
    where changed.date is not null
),

whole_weeks as (
    select date_trunc('week', date)::date + day::integer as date
    from looking_back
    cross join range(7) as days (day)
    where getvariable('by_week')
)

select distinct date
from (
    select date from looking_back
    union all
    select date from whole_weeks
) as either;
