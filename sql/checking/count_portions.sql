-- A month at a time, or a million records, so that any number of days fits into memory.

create or replace temp table portions as
with sizes as (
    select
        days_to_check.date,
        row_number() over by_date - 1 as days_before,
        coalesce(sum(sum(coverage.rows)) over (by_date rows between unbounded preceding and 1 preceding), 0) as records_before
    from days_to_check
    left join ops.coverage on days_to_check.date = coverage.date
    group by days_to_check.date
    window by_date as (order by days_to_check.date)
)

select date, dense_rank() over (order by days_before // 31, records_before // 1000000) - 1 as portion
from sizes;

select count(distinct portion) as portions from portions;
