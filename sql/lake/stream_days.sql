-- Days of the streams that the lake does not hold as the file does. Archived days are in the lake alone.

select file.stream, file.date::varchar as date
from ops.coverage as file
anti join lake.{ops}.coverage as lake
    on
        file.stream = lake.stream
        and file.date = lake.date
        and file.pull is not distinct from lake.pull
        and file.loaded_at is not distinct from lake.loaded_at
where not (file.stream = 'events' and file.date in (select date from ops.archived_days))
order by file.date, file.stream;
