-- The days of events that one export brought, here and there: an event may bear another day than its export.

select distinct date::varchar as date
from (
    select date from events where export_date in ({days})
    union all
    select date from lake.{main}.events where export_date in ({days})
) as affected
where date is not null and date not in (select date from ops.archived_days)
order by date;
