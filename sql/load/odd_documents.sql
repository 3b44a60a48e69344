create or replace temp table odd as
select documents.row_id, '{place}' as place, documents.document
from documents
inner join staged_{table} as staged on documents.row_id = staged.row_id
where staged.odd;
