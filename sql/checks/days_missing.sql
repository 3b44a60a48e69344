-- severity: warn
-- scope: full
-- meaning: Sums over these days are too low. The next run pulls missing days; `dawnload backfill` does it now. Both request events only
--   within `exports.budget`. Days that wait need your decision first (`dawnload exports list`).

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
        -- For consecutive days, this difference is the same.
        days.date - row_number() over (partition by days.stream, days.state order by days.date)::integer as block
    from ops.days as days
    left join held on days.stream = held.stream
    where
        -- Days that need your decision are reported even outside the loaded days.
        days.state = 'waits'
        or (days.state = 'missing' and days.date > held.first_date and days.date < held.last_date)
)

select
    min(date) as date,
    stream as subject,
    if(state = 'waits', 'Days need your decision', 'Days are missing') || ', the last of them is ' || max(date) || '.' as finding,
    '0' as expected,
    count(*) as actual
from lacking
group by stream, state, block;
