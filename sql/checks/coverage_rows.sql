-- severity: stop
-- scope: incremental
-- meaning: The rows of a day differ from those that were loaded, so its numbers cannot be trusted. Run `dawnload rebuild`;
--   report it if it persists.

with counted as (
    select stream, date, count(*) as rows
    from stream_rows
    where date in (select date from batch_days)
    group by stream, date
),

covered as (
    select
        stream,
        date,
        -- The events of a removed day are no longer in the file.
        if(stream = 'events' and date in (select date from ops.removed_days), 0, rows) as rows
    from ops.coverage
    semi join batch_days using (date)
    where not marts.is_snapshot(stream)
)

select
    date,
    stream as subject,
    'The rows of a day differ from those that were loaded.' as finding,
    coalesce(covered.rows, 0) as expected,
    coalesce(counted.rows, 0) as actual
from covered
full join counted using (stream, date)
where coalesce(covered.rows, 0) <> coalesce(counted.rows, 0) or covered.rows is null;
