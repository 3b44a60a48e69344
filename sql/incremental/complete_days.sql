-- The days of a week stand and fall together: a week is computed from daily tables, which are whole.

create or replace temp table dirty_days as
with stale as (
    select date from found_days where date is not null and date not in (select date from spared_days)
)

select date from stale
union
select (date_trunc('week', date) + to_days(day::integer))::date
from stale
cross join range(7) as days (day)
where '{partition}' = 'week';

select count(distinct dirty_days.date) as days, coalesce(sum(coverage.rows), 0) as records
from dirty_days
left join ops.coverage on dirty_days.date = coverage.date;
