-- severity: warn
-- stream: events
-- Exports of different days do not hold the same records.

select
    export_date as date,
    table_name as subject,
    'Rows stand in the export of another day too; they count once.' as finding,
    '0' as expected,
    count(*) as actual
from ops.set_aside
group by export_date, table_name;
