-- severity: warn
-- stream: events
-- scope: days
-- means: Two exports that you paid for hold the same records, which count once; nothing is wrong in the warehouse, but
--   ask the service why it exports, and bills, them twice.

select
    export_date as date,
    table_name as subject,
    'Rows stand in the export of another day too; they count once.' as finding,
    '0' as expected,
    count(*) as actual
from ops.set_aside
where export_date in (select date from checked_days)
group by export_date, table_name;
