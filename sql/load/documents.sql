-- Documents of an answer: redacts personal data, and splits off what the specification does not know.

-- name: candidates
create or replace temp table candidates as
select row_id, document::varchar as document, null::varchar as own, null::varchar as sender
from documents
where may_be_personal_json(document::varchar);

select count(*) as documents from candidates;

-- name: write_back
update documents
set document = redacted_documents.document
from redacted_documents
where documents.row_id = redacted_documents.row_id;

-- name: split
-- Moves into `extra` what no column takes. Members with unknown keys stay in the documents too, whose known structure
-- ignores them.

update {relation}
set {extra} = odd.extra, {document} = odd.document
from (
    select rowid as row_id, extra_of({document}, '{place}') as extra, fitting({document}, '{place}') as document
    from {relation}
    where {document} is not null and {condition} and may_be_odd({document}, '{place}')
) as odd
where {relation}.rowid = odd.row_id;
