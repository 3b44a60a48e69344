-- Days of a stream that the lake holds as the file does.

select file.date::varchar as date
from ops.coverage as file
inner join lake.{ops}.coverage as lake
    on
        file.stream = lake.stream
        and file.date = lake.date
        and file.pull is not distinct from lake.pull
        and file.loaded_at is not distinct from lake.loaded_at
where
    file.stream = '{stream}'
    and not (file.stream = 'events' and file.date in (select date from ops.archived_days))
order by file.date;
