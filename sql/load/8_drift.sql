-- Reports each difference from the specification in the extra columns of this load. A whole text holds fields without a
-- difference too.

insert into ops.drift_by_day by name
with objects as (
    select date, place, extra as object
    from extras

    union all
    select extras.date, fields.part, json_extract(extras.extra, pointer(fields.field))
    from extras
    inner join fields on extras.place = fields.place
    where fields.part is not null and json_type(extras.extra, pointer(fields.field)) = 'OBJECT'
),

-- The first of two members with the same key counts, as in all other statements.
members as (
    select date, place, object, unnest(list_distinct(json_keys(object))) as field
    from objects
),

given as (
    select members.date, members.place, members.field, fields.kind, json_extract(members.object, pointer(members.field)) as value
    from members
    left join fields on members.place = fields.place and members.field = fields.field
)

select
    getvariable('load').stream as stream,
    date,
    if(place in ('statistic', 'statistic_by_subchannel'), 'record', place) as place,
    field,
    if(kind is null, 'unknown', 'type') as kind,
    min(json_type(value)) as example_type,
    count(*) as records
from given
where not fits(kind, value)
group by given.date, given.place, given.field, given.kind is null;
