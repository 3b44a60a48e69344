-- How documents of a place look: their keys, the JSON types of the known fields, and which of those cannot be read as what
-- they should be. Alike ones are one row, so these are a dozen rows; `nonconforming` in src/warehouse/fields.ts compares them with what is known. A place may
-- lie inside of the documents, at its pointer.

with meant as (
    select
        case
            when getvariable('part_pointers')['{place}'] is null then {document}
            else json_extract({document}, getvariable('part_pointers')['{place}'])
        end as document
    from {relation}
    where {document} is not null and {condition}
)

select
    if(starts_with(document, '{'), json_keys(document), null) as keys,
    json_type(document, getvariable('pointers')['{place}']) as types,
    case
        when len(getvariable('readable')['{place}'].fields) = 0 then []::varchar[]
        else list_transform(
            list_filter(
                list_zip(
                    getvariable('readable')['{place}'].fields,
                    getvariable('readable')['{place}'].kinds,
                    json_extract(document, getvariable('readable')['{place}'].pointers)
                ),
                lambda one: not fits(one[2], one[3])
            ),
            lambda one: one[1]
        )
    end as unreadable
from meant
where getvariable('part_pointers')['{place}'] is null or starts_with(document, '{')
group by all;
