-- The documents of an answer, and what their columns do not take.

-- name: redact
-- At any depth, so that lists and objects inside are redacted before they are unfolded.
update documents
set document = _redacted_document(document::varchar, 'document', getvariable('settings').recipients)
where
    getvariable('settings').recipients <> 'keep'
    and regexp_matches(document::varchar, getvariable('patterns').personal);

-- name: unknown
-- Copies the members with unknown keys into `extra`; requires objects without repeated keys. What the columns take is not looked at.
update {relation}
set {extra} = unknown_members({document}, [{known}])
where {document} is not null and {condition};

update {relation}
set {extra} = _redacted_document(_masked({extra}::varchar, ''), 'document', getvariable('settings').recipients)
where {condition} and regexp_matches({extra}::varchar, getvariable('patterns').personal || '|' || getvariable('patterns').credential);

-- name: split
-- Moves into `extra` what no column takes; the document then lacks the values of another kind. Members with unknown keys stay in
-- it, whose known structure ignores them.
create or replace temp table odd_documents as
with looked_at as materialized (
    select
        rowid as row_id,
        {document}::varchar as document,
        _extra({document}::varchar, '{place}', getvariable('settings').recipients) as extra
    from {relation}
    where {document} is not null and {condition}
)

select row_id, extra, _fitting(document, '{place}') as fitting
from looked_at
where extra is not null;

update {relation}
set {extra} = odd_documents.extra, {document} = odd_documents.fitting
from odd_documents
where {relation}.rowid = odd_documents.row_id;
