-- grain: one stream.

with held as (
    select
        stream,
        min(date) as first_date,
        max(date) as last_date,
        count(*) as days_held,
        max(pulled_at) as last_pulled_at,
        sum(rows)::bigint as rows
    from ops.coverage
    group by stream
),

latest as (
    select max(last_date) as last_date
    from held
)

select
    held.stream,
    held.first_date,
    held.last_date,
    held.days_held,
    held.last_date - held.first_date + 1 - held.days_held as days_missing,
    latest.last_date - held.last_date as days_behind_newest,
    held.last_pulled_at,
    held.rows
from held
cross join latest;
