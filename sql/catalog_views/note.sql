-- Catalogs without a view, noted on the day of the latest snapshot of the list of catalogs.

insert into ops.load_notes by name
select 'catalogs' as stream, date, pull, 'no_view' as note, unnest(getvariable('left_out')) as subject, 1 as records
from (select * from snapshots where list = '*' order by date desc limit 1) as latest;
