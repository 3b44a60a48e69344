-- Words that the load statements share. What a place holds by the specification are variables of the session
-- (session/2_fields).

-- A key as a JSON pointer: unlike a path it can hold any character.
create macro macros.pointer(key) as '/' || replace(replace(key, '~', '~0'), '/', '~1');

-- A whole number, or null where the text is none: a cast alone would round 12.7 to 13.
create macro macros.whole(value) as
    case when try_cast(value as double) = try_cast(value as bigint)::double then try_cast(value as bigint) end;

-- A number of things, small enough that sums of thousands of them fit into a bigint.
create macro macros.counter(value) as
    case when try_cast(value as double) between 0 and 1000000000000000 then whole(value) end;

-- Counts and sums, exact to four decimals.
create macro macros.number(value) as try_cast(value as decimal(18, 4));
create macro macros.quantity(value) as case when number(value) >= 0 then number(value) end;

-- Microseconds since 1970, up to the year 9999: outside of that a number is no time.
create macro macros.epoch(value) as
    case
        -- As they come.
        when try_cast(value as bigint)::varchar = value and try_cast(value as bigint) between 0 and 253402300799999999
        then try_cast(value as bigint)
        when whole(value) between 0 and 253402300799999999 then whole(value)
    end;

-- The KST day of such an instant. KST is nine hours ahead of UTC the year round, so this is integer arithmetic.
create macro macros.korean_day(micros) as
    date '1970-01-01' + ((micros + 32400000000) // 86400000000)::integer;

-- An instant that no change of zone takes out of its type.
create macro macros.within_calendar(instant) as
    case when instant between '0001-01-02' and '9999-12-30' then instant end;

-- Wall-clock time in Korea. The service names no zone; where one is named, it counts.
create macro macros.korean_time(value) as case
    when regexp_matches(value, '(Z|[+-]\d\d:?\d\d)$')
    then within_calendar(try_cast(value as timestamptz)) at time zone 'Asia/Seoul'
    else within_calendar(try_cast(value as timestamp))
end;

-- Whether a value (JSON) is of the kind that the specification says. Nothing fits an unknown key.
create macro macros.fits(kind, value) as coalesce(
    case
        when kind in ('any', 'text') then true
        when coalesce(json_type(value), 'NULL') = 'NULL' then kind is not null
        when kind = 'list' then json_type(value) = 'ARRAY'
        when kind = 'object' then json_type(value) = 'OBJECT'
        when json_type(value) in ('OBJECT', 'ARRAY') then false
        when kind in ('scalar', 'recipient') then true
        when kind = 'whole' then whole(value ->> '$') is not null
        when kind = 'counter' then counter(value ->> '$') is not null
        when kind = 'quantity' then quantity(value ->> '$') is not null
        when kind = 'number' then number(value ->> '$') is not null
        when kind = 'boolean' then try_cast(value ->> '$' as boolean) is not null
        when kind = 'day' then try_cast(value ->> '$' as date) is not null
        when kind = 'time' then korean_time(value ->> '$') is not null
        when kind = 'epoch' then epoch(value ->> '$') is not null
    end,
    false
);

-- The word of the messenger becomes `chatapp`, underscores become hyphens (field notes: "channel spelling").
create macro macros.neutral_channel(channel) as case
    when channel in ('text-message', 'email', 'push-notification', 'web-push-notification', 'in-app-message', 'in-web-message') then channel
    when replace(channel, '_', '-') = getvariable('settings').messenger then 'chatapp'
    when starts_with(replace(channel, '_', '-'), getvariable('settings').messenger || '-')
    then 'chatapp' || substr(replace(channel, '_', '-'), length(getvariable('settings').messenger) + 1)
    else replace(channel, '_', '-')
end;

-- The rows of a page of a list (E2, E4, E10, E12), from what stands under `data` and under `templateListResponse`.
create macro macros.rows_in(data, response) as coalesce(
    if(
        json_type(data) = 'ARRAY',
        data -> '$[*]',
        (data -> '$.items[*]') || (data -> '$.templates[*]') || (data -> '$.catalogs[*]')
    ),
    []
) || coalesce(response -> '$.templates[*]', []);

-- A member of an object, as text.
create macro macros.member(key, value) as to_json(key)::varchar || ':' || coalesce(value::varchar, 'null');

-- How json_transform reads a document of that place: scalars as text, everything else as JSON.
create macro macros.shape(place) as getvariable('specification').shapes[place];

-- An object of members; null of none.
create macro macros.object_of(members) as
    if(len(members) > 0, '{' || array_to_string(members, ',') || '}', null);

create macro macros.first_members(object) as object_of(
    list_transform(
        list_filter(json_keys(object), lambda key, place: list_position(json_keys(object), key) = place),
        lambda key: member(key, json_extract(object, pointer(key)))
    )
);

-- The members of an object whose keys are unknown at its place: an object, as text, with credentials.
create macro macros.unknown_members(document, place) as
    json_merge_patch(document, getvariable('specification').without_known[place])::varchar;

-- The same for a column, where it holds anything. Of two members of one name the first counts, as everywhere. DuckDB expands a
-- macro wherever its parameter stands, so that has to be a column, too.
create macro macros.as_extra(members) as case
    when members <> '{}' and len(list_distinct(json_keys(members))) = len(json_keys(members)) then masked(members)::json
    when members <> '{}' then list_transform([first_members(members)], lambda one: masked(one))[1]::json
end;

-- The id of contents: a hash of all texts and their lengths, which distinguish texts that would read the same when joined.

create macro macros.content_id(title, body, html) as
    if(
        coalesce(title, body, html) is null,
        null,
        md5(
            concat_ws(
                ' ',
                coalesce(strlen(title)::varchar, '-'),
                coalesce(strlen(body)::varchar, '-'),
                coalesce(strlen(html)::varchar, '-'),
                title,
                body,
                html
            )
        )
    );

-- Macros that name the steps of reading export records (load/events/2_read).

-- Whether a field that is no list or object by the specification is one all the same, from the texts that were read of
-- those fields, each behind a separator. Titles in brackets, as on advertising, are no lists.
create macro macros.holds_nested(document, place, texts) as case
    when regexp_matches(texts, '\x1F[{[]')
    then list_has_any(json_type(document, getvariable('specification').scalars[place]), ['OBJECT', 'ARRAY'])
    else false
end;

-- A document without such values.
create macro macros.without_nested(document, place) as json_merge_patch(
    document,
    object_of(
        list_transform(
            list_filter(
                list_zip(
                    getvariable('specification').scalars[place],
                    json_type(document, getvariable('specification').scalars[place])
                ),
                lambda one: one[2] in ('OBJECT', 'ARRAY')
            ),
            lambda one: member(substr(one[1], 2), null)
        )
    )::json
);

-- Whether what was read of a field is of another kind than it should be.
create macro macros.is_no_list(given) as coalesce(given <> 'null' and not starts_with(given, '['), false);
create macro macros.is_no_object(given) as coalesce(given <> 'null' and not starts_with(given, '{'), false);
create macro macros.is_unreadable(given, value) as given is not null and value is null;

-- Some services wrap the message once more: a text that holds JSON.
create macro macros.unwrapped(given) as case
    when starts_with(given, '"')
    then case when json_valid(given ->> '$') then json(given ->> '$') else given end
    else given
end;

-- Most metadata do.
create macro macros.says_nothing(given) as
    given is null or given in ('null', '{"channel_subtype":null,"brand_message_target":null}');

create macro macros.is_nonconforming_metadata(given) as case
    when says_nothing(given) then false
    when not starts_with(given, '{') then true
    else
        not list_has_all(['channel_subtype', 'brand_message_target'], json_keys(given))
        or list_has_any(json_type(given, ['/channel_subtype', '/brand_message_target']), ['OBJECT', 'ARRAY'])
end;

-- The text of a text, a number, a boolean; null of anything else.
create macro macros.scalar(given) as
    case when starts_with(given, '{') or starts_with(given, '[') then null else given ->> '$' end;

-- The day that a record counts on: the Korean day of its time, or that of its export where the time is missing or more than
-- 31 days away from it. Such a time is a mistake of whoever sent it (milliseconds, a clock of 2100), and no day to count on.
create macro macros.counted_day(micros, export_day) as
    if(abs(korean_day(micros) - export_day) > 31, export_day, coalesce(korean_day(micros), export_day));

-- The value of a record's field as it may stay. Ids are full of digits.
create macro macros.redacted_field(given) as
    case when regexp_full_match(given, getvariable('patterns').plain_id) then given else redacted(given) end;
