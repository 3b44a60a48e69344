-- The dirty days in batches of so many days or records, so that any number of days fits into memory. Days of one `unit` (day
-- or week) stay together.

create or replace temp table batches as
with units as (
    select
        date_trunc('{unit}', dirty_days.date)::date as unit,
        count(distinct dirty_days.date) as days,
        coalesce(sum(coverage.rows), 0) as records
    from dirty_days
    left join ops.coverage on dirty_days.date = coverage.date
    group by unit
),

placed as (
    select
        unit,
        coalesce(sum(days) over before, 0) as days_before,
        coalesce(sum(records) over before, 0) as records_before
    from units
    window before as (order by unit rows between unbounded preceding and 1 preceding)
)

select
    dirty_days.date,
    dense_rank() over (order by placed.days_before // {most_days}, placed.records_before // {most_records}) - 1 as batch
from dirty_days
inner join placed on date_trunc('{unit}', dirty_days.date)::date = placed.unit;

select count(distinct batch) as batches from batches;
