-- severity: warn
-- scope: full
-- meaning: Days between the first and the last day of a stream are missing, or a day waits for a person, so sums over them are
--   too low. The next run pulls missing days (`dawnload plan` shows it), `dawnload backfill` pulls them now; days that wait need
--   a decision (`dawnload exports list`).

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
    left join held on days.stream = held.stream
    where
        -- A day that waits for a person waits also at the edge of what is held.
        days.state = 'waits'
        or (days.state = 'missing' and days.date > held.first_date and days.date < held.last_date)
)

select
    min(date) as date,
    stream as subject,
    if(state = 'waits', 'Days wait for a person', 'Days are missing') || ', the last of them is ' || max(date) || '.' as finding,
    '0' as expected,
    count(*) as actual
from lacking
group by stream, state, block;
