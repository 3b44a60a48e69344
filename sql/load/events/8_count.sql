-- The records of each day as they stand in the tables now, before what stands twice goes.
select export_date::varchar as date, count(*) as records
from events
where export_date in (select date from days)
group by export_date;
