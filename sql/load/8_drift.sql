-- Reports each key in the extra columns of this load as a difference from the specification.

insert into ops.drift_by_day by name
with objects as (
    select date, place, extra as object
    from extras

    union all
    -- A known object is in `extra` only because of a nonconforming member inside it.
    select extras.date, fields.part, json_extract(extras.extra, pointer(fields.field))
    from extras
    inner join fields on extras.place = fields.place
    where fields.part is not null and json_type(extras.extra, pointer(fields.field)) = 'OBJECT'
),

keyed as (
    select date, place, object, json_keys(object) as keys
    from objects
),

-- Distinct documents only, about a dozen rows.
alike as (
    select date, place, keys, list_transform(keys, lambda key: json_type(object, pointer(key))) as types, count(*) as records
    from keyed
    group by all
),

-- The first of two members with the same key counts, as in all other statements.
found as (
    select distinct *, unnest(keys) as field, unnest(types) as type
    from alike
)

select
    getvariable('load').stream as stream,
    found.date,
    if(found.place in ('statistic', 'statistic_by_subchannel'), 'record', found.place) as place,
    found.field,
    if(fields.kind is null, 'unknown', 'type') as kind,
    min(found.type) as example_type,
    sum(found.records)::bigint as records
from found
left join fields on found.place = fields.place and found.field = fields.field
where fields.part is null or found.type <> 'OBJECT'
group by found.date, found.place, found.field, fields.kind is null;
