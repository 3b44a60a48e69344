-- severity: warn
-- scope: full
-- meaning: Days between the first and the last day of a stream are missing, so sums over them are too low. The next run
--   pulls missing days (`dawnload plan` shows it), `dawnload backfill` pulls them now; days that wait for a person need a
--   decision (`dawnload exports list`).

with held as (
    select stream, min(date) as first_date, max(date) as last_date
    from ops.coverage
    group by stream
),

lacking as (
    select
        days.stream,
        days.date,
        days.state,
        -- Days that follow each other have the same difference.
        days.date - row_number() over (partition by days.stream, days.state order by days.date)::integer as block
    from ops.days as days
    inner join held on
        days.stream = held.stream
        and days.date > held.first_date
        and days.date < held.last_date
    where days.state in ('missing', 'waits')
)

select
    min(date) as date,
    stream as subject,
    if(state = 'waits', 'Days wait for a person', 'Days are missing') || ', the last of them is ' || max(date) || '.' as finding,
    '0' as expected,
    count(*) as actual
from lacking
group by stream, state, block;
