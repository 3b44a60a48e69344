-- What stands in the extra columns of this load is, key by key, what differs from the specification.

insert into ops.drift_by_day by name
with keys as (
    select date, place, extra, unnest(list_distinct(json_keys(extra))) as field
    from extras
),

found as (
    select
        keys.date,
        keys.place,
        keys.field,
        json_extract(keys.extra, pointer(keys.field)) as given,
        fields.kind as expected,
        fields.part
    from keys
    left join fields on keys.place = fields.place and keys.field = fields.field
),

-- An object that is as it should be stands there only for what is odd inside it.
part_keys as (
    select date, part as place, given, unnest(list_distinct(json_keys(given))) as field
    from found
    where part is not null and json_type(given) = 'OBJECT'
),

all_found as (
    select date, place, field, given, expected
    from found
    where part is null or json_type(given) <> 'OBJECT'

    union all
    select
        part_keys.date,
        part_keys.place,
        part_keys.field,
        json_extract(part_keys.given, pointer(part_keys.field)),
        fields.kind
    from part_keys
    left join fields on part_keys.place = fields.place and part_keys.field = fields.field
)

select
    getvariable('stream') as stream,
    date,
    if(place in ('statistic', 'statistic_by_subchannel'), 'record', place) as place,
    field,
    if(expected is null, 'unknown', 'type') as kind,
    min(json_type(given)) as example_type,
    count(*) as records
from all_found
group by date, place, field, expected is null;
