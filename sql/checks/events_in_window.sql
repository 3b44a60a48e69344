-- severity: warn
-- stream: events
-- scope: incremental
-- meaning: Records happened outside the day that was exported. They are kept, count on their own day, and count once if
--   the export of that day holds them too. Nothing needs to be done unless they are many.

select
    export_date as date,
    'events' as subject,
    'Records lie outside the window of their export.' as finding,
    '0' as expected,
    count(*) as actual
from events
where export_date in (select date from batch_days) and date <> export_date
group by export_date;
