-- How documents of a place look: their keys, the JSON types of the known fields, and which of those cannot be read as what
-- they should be. Alike ones are one row, so these are a dozen rows; `oddKeys` compares them with what is known. `inside` is
-- a pointer to the object inside of the document that is meant, or empty.

with meant as (
    select case when getvariable('inside') = '' then {document} else json_extract({document}, getvariable('inside')) end as document
    from {relation}
    where {document} is not null and {condition}
),

looked as (
    select
        if(starts_with(document, '{'), json_keys(document), null) as keys,
        json_type(document, getvariable('pointers')::varchar[]) as types,
        case
            when len(getvariable('readable')::varchar[]) = 0 then []::varchar[]
            else list_transform(
                list_filter(
                    list_zip(
                        getvariable('readable')::varchar[],
                        getvariable('readable_kinds')::varchar[],
                        json_extract(document, getvariable('readable_pointers')::varchar[])
                    ),
                    lambda one: not fits(one[2], one[3])
                ),
                lambda one: one[1]
            )
        end as unreadable
    from meant
    where getvariable('inside') = '' or starts_with(document, '{')
),

-- Most are like the first one, and comparing is quicker than grouping.
usual as (
    select keys, types
    from looked
    limit 1
)

select looked.*
from looked
cross join usual
where
    looked.keys is distinct from usual.keys
    or looked.types is distinct from usual.types
    or len(looked.unreadable) > 0
group by all
union all
select keys, types, []
from usual;
