-- The days of events that these exports brought, here and there: an event may bear another day than its export.

select date::varchar as date, bool_or(in_lake) as in_lake
from (
    select date, false as in_lake from events where export_date in ({days})
    union all
    select date, true from lake.{main}.events where export_date in ({days})
) as affected
where date is not null and date not in (select date from ops.archived_days)
group by affected.date
order by affected.date;
