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

-- name: odd
-- Whether a document holds what no column takes.
select count(*) > 0 as found
from {relation}
where {document} is not null and {condition}
    and (
        not starts_with({document}, '{')
        or without_known({document}, '{place}') <> '{}'
        or has_misfit({document}, '{place}')
    );

-- name: split
-- Moves into `extra` what no column takes. Members with unknown keys stay in the documents too, whose known structure
-- ignores them.

update {relation}
set {extra} = odd.extra, {document} = odd.document
from (
    with looked_at as (
        select
            rowid as row_id,
            {document} as document,
            starts_with({document}, '{') as is_object,
            without_known({document}, '{place}') as unknown,
            has_misfit({document}, '{place}') as has_misfit
        from {relation}
        where {document} is not null and {condition}
    ),

    odd as (
        select *, odd_members(document, '{place}', has_misfit, unknown) as members
        from looked_at
        where not is_object or unknown <> '{}' or has_misfit
    ),

    without_recipients as (
        select * replace (without_recipient(members) as members)
        from odd
    )

    select
        row_id,
        as_extra(members) as extra,
        case when has_misfit or not is_object then fitting(document, '{place}') else document end as document
    from without_recipients
) as odd
where {relation}.rowid = odd.row_id;
