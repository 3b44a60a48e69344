-- severity: warn
-- scope: full
-- meaning: Between the first and the last day of a stream some are not held, so that sums over them are too low; the next
--   run asks for them if they are wanted, `dawnload plan` says so, and `dawnload backfill` gets them.

with followed as (
    select stream, date, lead(date) over (partition by stream order by date) as next_date
    from ops.coverage
)

select
    date + 1 as date,
    stream as subject,
    'Days are missing, the last of them is ' || (next_date - 1) || '.' as finding,
    '0' as expected,
    next_date - date - 1 as actual
from followed
where next_date - date > 1;
