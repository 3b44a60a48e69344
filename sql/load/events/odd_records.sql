create or replace temp table odd as
select rowid as row_id, 'record' as place, odd_record as document
from staged
where odd_record is not null;
