-- severity: warn
-- scope: full
-- meaning: Days between the first and the last day of a stream are missing, so sums over them are too low. The next run
--   pulls them if the settings want them (`dawnload plan` shows it); `dawnload backfill` pulls them now.

with followed as (
    select stream, date, lead(date) over (partition by stream order by date) as next_date
    from ops.coverage
    -- Snapshots of past days cannot be requested, and the next one is complete.
    where not marts.is_snapshot(stream)
)

select
    date + 1 as date,
    stream as subject,
    'Days are missing, the last of them is ' || (next_date - 1) || '.' as finding,
    '0' as expected,
    next_date - date - 1 as actual
from followed
where next_date - date > 1;
