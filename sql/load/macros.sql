-- Words that the load statements share. They live in the session, not in the warehouse.

-- What the specification says of a place (load/places).
create or replace temp macro place_of(place) as map_extract_value(getvariable('places'), place);

-- How json_transform reads a document of that place: scalars as text, everything else as JSON.
create or replace temp macro shape(place) as struct_extract(place_of(place), 'shape');

-- Whether a document differs from the specification: an unknown key, or a value of another kind. Whether its texts can
-- be read as numbers or times shows when they are. Documents of a place are much alike, so each is first compared with a
-- usual one (load/usual), which takes half the time.
create or replace temp macro is_odd(document, place) as
    not starts_with(document, '{')
    or case
        when json_keys(document) = struct_extract(getvariable('usual:' || place), 'keys') then false
        else not list_has_all(struct_extract(place_of(place), 'known'), json_keys(document))
    end
    or case
        when len(struct_extract(place_of(place), 'scalar_paths')) = 0 then false
        when
            json_type(document, struct_extract(place_of(place), 'scalar_paths'))
            = struct_extract(getvariable('usual:' || place), 'types')
        then false
        else list_has_any(
            json_type(document, struct_extract(place_of(place), 'scalar_paths')),
            ['OBJECT', 'ARRAY']
        )
    end
    or case
        when len(struct_extract(place_of(place), 'list_paths')) = 0 then false
        else list_has_any(
            json_type(document, struct_extract(place_of(place), 'list_paths')),
            ['OBJECT', 'VARCHAR', 'UBIGINT', 'BIGINT', 'DOUBLE', 'BOOLEAN']
        )
    end
    or case
        when len(struct_extract(place_of(place), 'object_paths')) = 0 then false
        else list_has_any(
            json_type(document, struct_extract(place_of(place), 'object_paths')),
            ['ARRAY', 'VARCHAR', 'UBIGINT', 'BIGINT', 'DOUBLE', 'BOOLEAN']
        )
    end;

-- A key as a JSON pointer: unlike a path it can hold any character.
create or replace temp macro pointer(key) as '/' || replace(replace(key, '~', '~0'), '/', '~1');

-- A whole number, or null where the text is none: a cast alone would round 12.7 to 13.
create or replace temp macro whole(value) as
    case when try_cast(value as double) = try_cast(value as bigint)::double then try_cast(value as bigint) end;

-- Counts and sums, exact to four decimals.
create or replace temp macro number(value) as try_cast(value as decimal(18, 4));

-- Microseconds since 1970, up to the year 9999: outside of that a number is no time.
create or replace temp macro epoch(value) as
    case when whole(value) between 0 and 253402300799999999 then whole(value) end;

-- The KST day of such an instant. KST is nine hours ahead of UTC the year round, so this is integer arithmetic.
create or replace temp macro korean_day(micros) as
    date '1970-01-01' + ((micros + 32400000000) // 86400000000)::integer;

-- The day that a record counts on: the Korean day of its time, or that of its export where the time is more than 31 days
-- away from it. Such a time is a mistake of whoever sent it (milliseconds, a clock of 2100), and no day to count on.
create or replace temp macro counted_day(micros, export_day) as
    if(abs(korean_day(micros) - export_day) > 31, export_day, korean_day(micros));

-- Wall-clock time in Korea. The service names no zone; where one is named, it counts.
create or replace temp macro korean_time(value) as case
    when regexp_matches(value, '(Z|[+-]\d\d:?\d\d)$')
    then try_cast(value as timestamptz) at time zone 'Asia/Seoul'
    else try_cast(value as timestamp)
end;

-- Whether a value (JSON) is of the kind that the specification says. Nothing fits an unknown key.
create or replace temp macro fits(kind, value) as coalesce(
    case
        when kind = 'any' then true
        when coalesce(json_type(value), 'NULL') = 'NULL' then kind is not null
        when kind = 'list' then json_type(value) = 'ARRAY'
        when kind = 'object' then json_type(value) = 'OBJECT'
        when json_type(value) in ('OBJECT', 'ARRAY') then false
        when kind = 'scalar' then true
        when kind = 'whole' then whole(value ->> '$') is not null
        when kind = 'number' then number(value ->> '$') is not null
        when kind = 'boolean' then try_cast(value ->> '$' as boolean) is not null
        when kind = 'day' then try_cast(value ->> '$' as date) is not null
        when kind = 'time' then korean_time(value ->> '$') is not null
        when kind = 'epoch' then epoch(value ->> '$') is not null
    end,
    false
);

-- The word of the messenger becomes `chatapp`, underscores become hyphens (field notes: "channel spelling").
create or replace temp macro neutral_channel(channel) as case
    when replace(channel, '_', '-') = getvariable('messenger') then 'chatapp'
    when starts_with(replace(channel, '_', '-'), getvariable('messenger') || '-')
    then 'chatapp' || substr(replace(channel, '_', '-'), length(getvariable('messenger')) + 1)
    else replace(channel, '_', '-')
end;

-- A member of an object, as text.
create or replace temp macro member(key, value) as to_json(key)::varchar || ':' || coalesce(value::varchar, 'null');
