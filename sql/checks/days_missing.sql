-- severity: warn
-- scope: full
-- meaning: Sums over these days are too low. Where the finding says that days are missing, the next run pulls them, and `dawnload
--   backfill` does it now, both of events only what fits `exports.budget`; where it says that they wait, a person must decide first
--   (`dawnload exports list`).

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
    if(state = 'waits', 'Days wait for a person to decide', 'Days are missing') || ', the last of them is ' || max(date) || '.' as finding,
    '0' as expected,
    count(*) as actual
from lacking
group by stream, state, block;
