create or replace temp table candidates as
select row_id, document::varchar as document, null::varchar as own, null::varchar as sender
from documents
where may_be_personal_json(document::varchar);

select count(*) as documents from candidates;
