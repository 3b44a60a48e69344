-- title: Spend on exports by month
-- question: How many event records were paid for in each month, and what did they cost?
-- params:
--   start (date, default null): first KST day on which exports were requested
--   end (date, default null): last KST day on which exports were requested
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';

with params as (
    select
        getvariable('start')::date as first_day,
        getvariable('end')::date as last_day
),
-- A request that the service refused, or that never left this machine, is not billed. One that nobody knows the fate of
-- may be, and is counted.
exports as (
    select
        exports.*,
        (coalesce(requested_at, updated_at) at time zone 'Asia/Seoul')::date as billed_on
    from ops.exports
    where state not in ('failed', 'withdrawn')
)
select
    strftime(billed_on, '%Y-%m') as month,
    count(*) as exports,
    count(*) filter (where records is null) as not_landed,
    sum(records)::bigint as records,
    sum(estimated_records) filter (where records is null)::bigint as records_expected,
    round(sum(records * price_per_record), 2) as cost,
    round(sum(estimated_records * price_per_record) filter (where records is null), 2) as cost_expected
from exports
cross join params
where
    (params.first_day is null or billed_on >= params.first_day)
    and (params.last_day is null or billed_on <= params.last_day)
group by month
order by month;
