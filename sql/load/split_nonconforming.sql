-- Takes out of documents what no column takes: the values of unknown keys, and those of another kind under known ones. What
-- was found by looking (load/shapes_found) is in variables: the keys, their pointers and kinds (empty where unknown), and the same for
-- the object inside, at the pointer `inside`. Few places have any.

create or replace temp table apart as
with meant as (
    select
        rowid as row_id,
        {document} as document,
        json_keys({document}) as keys,
        case when getvariable('inside') <> '' then json_keys({document}, getvariable('inside')) end as keys_inside
    from {relation}
    where {document} is not null and {condition}
),

inner_values as (
    select
        row_id,
        unnest(getvariable('inner_keys')::varchar[]) as key,
        unnest(getvariable('inner_kinds')::varchar[]) as kind,
        unnest(json_extract(document, getvariable('inner_pointers')::varchar[])) as given,
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
        unnest(getvariable('split_keys')::varchar[]) as key,
        unnest(getvariable('split_kinds')::varchar[]) as kind,
        unnest(json_extract(document, getvariable('split_pointers')::varchar[])) as given,
        keys
    from meant
    where starts_with(document, '{')
),

outer_left as (
    select
        outer_values.row_id,
        key,
        -- In the order of the document.
        list_position(keys, key) as place,
        kind <> '' as known,
        if(not fits(nullif(kind, ''), given), given::varchar, inner_left.members) as left_value,
        if(fits(nullif(kind, ''), given), inner_left.patch, null) as patch
    from outer_values
    left join inner_left on outer_values.row_id = inner_left.row_id and outer_values.key = getvariable('inside_key')
    where given is not null and (inner_left.row_id is not null or not fits(nullif(kind, ''), given))
)

select
    row_id,
    masked('{' || string_agg(member(key, left_value), ',' order by place) || '}') as extra,
    -- A member that does not belong under a known key leaves the document.
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
