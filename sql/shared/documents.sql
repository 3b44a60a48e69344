-- The documents of an answer, and what their columns do not take.

-- name: unknown
-- Copies the members with unknown keys into `extra`; requires objects without repeated keys. What the columns take is not looked at.
update {relation}
set {extra} = unknown_members({document}, [{known}])
where {document} is not null and {condition};

update {relation}
set {extra} = _redacted_document(_masked({extra}::varchar, ''), 'document', treatment())
where {condition} and regexp_matches({extra}::varchar, getvariable('patterns').personal || '|' || getvariable('patterns').credential);

-- name: split
-- Moves into `extra` what no column takes; the document then lacks the values of another kind. Members with unknown keys stay in
-- it, whose known structure ignores them.
update {relation}
set {extra} = extra_of(odd), {document} = fitting({document}, odd)
from (
    with looked_at as materialized (
        select rowid as row_id, _judged({document}::varchar, '{place}', treatment()) as odd
        from {relation}
        where {document} is not null and {condition}
    )

    select * from looked_at where odd is not null
) as odd_documents
where {relation}.rowid = odd_documents.row_id;
