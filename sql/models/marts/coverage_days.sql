-- grain: one stream and KST day, from the first to the last day that the stream covers, gaps included.

with spans as (
    select stream, min(date) as first_date, max(date) as last_date
    from ops.coverage
    group by stream
),

expected as (
    select stream, unnest(generate_series(first_date, last_date, interval 1 day))::date as date
    from spans
)

select
    expected.stream,
    expected.date,
    coverage.date is not null as is_held,
    coverage.rows,
    coverage.pulled_at,
    coverage.loaded_at
from expected
left join ops.coverage as coverage on expected.stream = coverage.stream and expected.date = coverage.date;
