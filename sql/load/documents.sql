-- Documents of an answer: redacts personal data, and splits off the members that the specification does not know.

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

-- name: shapes_found
-- The distinct shapes of the documents of a place: their keys, the JSON types of the known fields, and the fields that
-- cannot be read as their kind. There are about a dozen rows, which `nonconforming` in src/warehouse/fields.ts compares
-- with the known fields. For a place inside the documents, its pointer is given.

with meant as (
    select
        case
            when $inside = '' then {document}
            else json_extract({document}, $inside)
        end as document
    from {relation}
    where {document} is not null and {condition}
)

select
    if(starts_with(document, '{'), json_keys(document), null) as keys,
    json_type(document, $pointers) as types,
    case
        when len($readable) = 0 then []::varchar[]
        else list_transform(
            list_filter(
                list_zip(
                    $readable,
                    $kinds,
                    json_extract(document, $readable_pointers)
                ),
                lambda one: not fits(one[2], one[3])
            ),
            lambda one: one[1]
        )
    end as unreadable
from meant
where $inside = '' or starts_with(document, '{')
group by all;

-- name: split_unknown_keys
-- Copies the members with unknown keys into `extra`, for documents without another deviation. They stay in the
-- documents too, whose known structure ignores them.

update {relation}
set {extra} = as_extra(members)
from (
    select rowid as row_id, unknown_members({document}, {place}) as members
    from {relation}
    where {document} is not null and {condition}
) as unknown
where {relation}.rowid = unknown.row_id;

-- name: split_nonconforming
-- Moves members that no column takes out of the documents: members with unknown keys, and values of another kind under
-- known keys. Variables hold what shapes_found returned: the keys, their pointers and kinds (empty for an unknown key),
-- and the same for the object at the pointer `inside`. Few places have such members.

create or replace temp table apart as
with meant as (
    select
        rowid as row_id,
        {document} as document,
        json_keys({document}) as keys,
        case when getvariable('split').inside <> '' then json_keys({document}, getvariable('split').inside) end as keys_inside
    from {relation}
    where {document} is not null and {condition}
),

inner_values as (
    select
        row_id,
        unnest(getvariable('split').inner_keys::varchar[]) as key,
        unnest(getvariable('split').inner_kinds::varchar[]) as kind,
        unnest(json_extract(document, getvariable('split').inner_pointers::varchar[])) as given,
        keys_inside
    from meant
),

inner_left as (
    select
        row_id,
        '{' || string_agg(member(key, given), ',' order by list_position(keys_inside, key)) || '}' as members,
        '{' || string_agg(member(key, null), ',') || '}' as patch
    from inner_values
    where given is not null and not fits(nullif(kind, ''), given)
    group by row_id
),

outer_values as (
    select
        row_id,
        unnest(getvariable('split').keys::varchar[]) as key,
        unnest(getvariable('split').kinds::varchar[]) as kind,
        unnest(json_extract(document, getvariable('split').pointers::varchar[])) as given,
        keys
    from meant
    where starts_with(document, '{')
),

outer_left as (
    select
        outer_values.row_id,
        key,
        -- The position of the key in the document.
        list_position(keys, key) as place,
        kind <> '' as known,
        if(not fits(nullif(kind, ''), given), given::varchar, inner_left.members) as left_value,
        if(fits(nullif(kind, ''), given), inner_left.patch, null) as patch
    from outer_values
    left join inner_left on outer_values.row_id = inner_left.row_id and outer_values.key = getvariable('split').inside_key
    where given is not null and (inner_left.row_id is not null or not fits(nullif(kind, ''), given))
)

select
    row_id,
    masked('{' || string_agg(member(key, left_value), ',' order by place) || '}') as extra,
    -- A known key whose value does not have the specified kind is removed from the document.
    '{' || string_agg(member(key, patch), ',') filter (known) || '}' as patch
from outer_left
group by row_id

union all
select row_id, masked(object_of([member('value', document)])), null
from meant
where not starts_with(document, '{');

update {relation}
set {extra} = apart.extra
from apart
where {relation}.rowid = apart.row_id;

update {relation}
set {document} = if(apart.patch is null, null, json_merge_patch({document}, apart.patch::json))
from apart
where {relation}.rowid = apart.row_id and (apart.patch is not null or not starts_with({document}, '{'));
