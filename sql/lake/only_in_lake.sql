-- Days that the lake covers and the file does not: they are left as they are.

select lake.stream, lake.date::varchar as date
from lake.{ops}.coverage as lake
anti join ops.coverage as file on lake.stream = file.stream and lake.date = file.date
order by lake.stream, lake.date;
