-- Macros that the load statements share. The specification of each place is a session variable (session/2_fields).

-- A key as a JSON pointer, which may contain any character, unlike a JSON path.
create macro macros.pointer(key) as '/' || replace(replace(key, '~', '~0'), '/', '~1');

-- True if a text may not be in Unicode form NFC: it has combining marks, jamo or compatibility ideographs, as some systems write
-- names ("가" as two letters). Also true if normalizing JSON could join a mark with the letter of an escape.
create macro macros.may_be_decomposed(given) as
    regexp_matches(given, '[\x{300}-\x{36F}\x{1100}-\x{11FF}\x{3099}\x{309A}\x{A960}-\x{A97F}\x{D7B0}-\x{D7FF}\x{F900}-\x{FAFF}]');
create macro macros.splits_escapes(json) as regexp_matches(json, '\\[a-z][\x{300}-\x{36F}]');

-- JSON in NFC, so that a name has only one form.
create macro macros.nfc_json(given) as case
    when may_be_decomposed(given) then if(splits_escapes(given), given, nfc_normalize(given)) else given
end;

-- A text in NFC; null if it is empty.
create macro macros.settled(given, is_decomposed) as nullif(if(is_decomposed, nfc_normalize(given), given), '');

-- A whole number; null for other texts. A cast would round 12.7 to 13.
create macro macros.whole(value) as
    case when try_cast(value as double) = try_cast(value as bigint)::double then try_cast(value as bigint) end;

-- A count, limited so that the sum of thousands fits into a bigint.
create macro macros.counter(value) as
    case when try_cast(value as double) between 0 and 1000000000000000 then whole(value) end;

-- A quantity with exactly four decimals.
create macro macros.number(value) as try_cast(value as decimal(18, 4));
create macro macros.quantity(value) as case when number(value) >= 0 then number(value) end;

-- Microseconds since 1970. Null outside the years 1970 to 9999.
create macro macros.epoch(value) as
    case
        -- The usual form, tested first.
        when try_cast(value as bigint)::varchar = value and try_cast(value as bigint) between 0 and 253402300799999999
        then try_cast(value as bigint)
        when whole(value) between 0 and 253402300799999999 then whole(value)
    end;

-- The KST day of microseconds since 1970. KST is nine hours ahead of UTC all year, so integer arithmetic suffices.
create macro macros.korean_day(micros) as
    date '1970-01-01' + ((micros + 32400000000) // 86400000000)::integer;

-- The instant; null if converting its time zone would leave the range of the type.
create macro macros.within_calendar(instant) as
    case when instant between '0001-01-02' and '9999-12-30' then instant end;

-- Wall-clock time in Korea. The service gives no time zone. If a text has one, it is converted.
create macro macros.korean_time(value) as case
    when regexp_matches(value, '(Z|[+-]\d\d:?\d\d)$')
    then within_calendar(try_cast(value as timestamptz)) at time zone 'Asia/Seoul'
    else within_calendar(try_cast(value as timestamp))
end;

-- A channel's name: the messenger's name becomes `chatapp`, and underscores become hyphens (field notes: "channel spelling").
create macro macros.neutral_channel(channel) as case
    when channel in ('text-message', 'email', 'push-notification', 'web-push-notification', 'in-app-message', 'in-web-message') then channel
    when replace(channel, '_', '-') = getvariable('settings').messenger then 'chatapp'
    when starts_with(replace(channel, '_', '-'), getvariable('settings').messenger || '-')
    then 'chatapp' || substr(replace(channel, '_', '-'), length(getvariable('settings').messenger) + 1)
    else nullif(replace(channel, '_', '-'), '')
end;

-- The rows on a page of a list (E2, E4, E10, E12), taken from `data` or `templateListResponse`.
create macro macros.rows_in(data, response) as coalesce(
    if(
        json_type(data) = 'ARRAY',
        data -> '$[*]',
        (data -> '$.items[*]') || (data -> '$.templates[*]') || (data -> '$.catalogs[*]')
    ),
    []
) || coalesce(response -> '$.templates[*]', []);

-- The setting privacy.recipients, and whether a text may have a number or an address.
create macro macros.treatment() as getvariable('settings').recipients;
create macro macros.may_be_personal(given) as treatment() <> 'keep' and regexp_matches(given, getvariable('patterns').personal);
create macro macros.may_hold_credentials(given) as regexp_matches(given, getvariable('patterns').credential);

-- The two parts of an odd document from `_judged`: `extra`, and `fitting` (null if everything fits).
create macro macros.parts_of(odd) as json_transform(odd, '{"extra": "JSON", "fitting": "JSON"}');
create macro macros.extra_of(odd) as odd -> '$.extra';
create macro macros.fitting(document, odd) as if(json_exists(odd, '$.fitting'), odd ->> '$.fitting', document)::json;

-- A JSON object as text that does not depend on the order of its members. Any other value is unchanged.
create macro macros.sorted_members(object) as case
    when starts_with(object::varchar, '{')
    then list_sort([key || ':' || coalesce(json_extract(object, pointer(key))::varchar, '') for key in json_keys(object)])::varchar
    else object::varchar
end;

-- The structure with which json_transform reads a document of a place: scalars as text, everything else as JSON.
create macro macros.shape(place) as getvariable('specification').shapes[place];

-- The id of contents: a hash of all texts and their lengths. Lengths are included because different texts may be equal when joined.
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

-- Macros for the steps of reading export records (streams/events/load/2_read).

-- True if a document has only keys of the specification, and each only once.
create macro macros.has_usual_keys(keys, known) as
    case when keys = known then true else list_has_all(known, keys) and len(list_distinct(keys)) = len(keys) end;

-- True if a value that should be text has another type.
create macro macros.holds_no_text(types) as list_has_any(types, ['OBJECT', 'ARRAY', 'UBIGINT', 'BIGINT', 'DOUBLE', 'BOOLEAN']);

-- True if a recipient's number or address is a hash already, so that no function is needed.
create macro macros.is_hashed(given) as treatment() = 'hash' and regexp_full_match(given, '[0-9a-f]{64}');

-- True if the value of a field is not of the specified kind.
create macro macros.is_no_list(given) as coalesce(given <> 'null' and not starts_with(given, '['), false);
create macro macros.is_unreadable(given, value) as given is not null and value is null;
create macro macros.loses_digits(given) as is_unreadable(given, number(given)) or number(given)::double <> given::double;

-- Unwraps a message that is sent as a text with JSON in it, as some services do.
create macro macros.unwrapped(given) as case
    when starts_with(given, '"')
    then case when json_valid(given ->> '$') then json(given ->> '$') else given end
    else given
end;

-- Returns the text, or null for a hexadecimal id, whose digits could be mistaken for a telephone number.
create macro macros.unless_id(given) as case
    when strlen(given) < 16 then given
    when not regexp_full_match(given, '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{16,}') then given
end;

-- The day on which a record counts: the Korean day of its time. The export's day is used if the time is missing, more than a day
-- later, or more than 31 days earlier. Such a distant time is an error of the sender (wrong unit, wrong clock).
create macro macros.counted_day(micros, export_day) as
    if(korean_day(micros) - export_day between -31 and 1, korean_day(micros), export_day);

