-- Macros that the load statements share. The specification of each place is a session variable (session/2_fields).

-- A key as a JSON pointer, which, unlike a JSON path, can hold any character.
create macro macros.pointer(key) as '/' || replace(replace(key, '~', '~0'), '/', '~1');

-- Whether a text may have another form in NFC: it holds combining marks, jamo or compatibility ideographs, as names typed on
-- some systems do ("가" as two letters). And whether normalizing JSON could join a mark with the letter of an escape.
create macro macros.may_be_decomposed(given) as
    regexp_matches(given, '[\x{300}-\x{36F}\x{1100}-\x{11FF}\x{3099}\x{309A}\x{A960}-\x{A97F}\x{D7B0}-\x{D7FF}\x{F900}-\x{FAFF}]');
create macro macros.splits_escapes(json) as regexp_matches(json, '\\[a-z][\x{300}-\x{36F}]');

-- The same text, or JSON, in NFC: two forms of a name are one.
create macro macros.nfc(given) as case when may_be_decomposed(given) then nfc_normalize(given) else given end;
create macro macros.nfc_json(given) as case
    when may_be_decomposed(given) then if(splits_escapes(given), given, nfc_normalize(given)) else given
end;

-- A whole number; null if the text is not one. A cast alone would round 12.7 to 13.
create macro macros.whole(value) as
    case when try_cast(value as double) = try_cast(value as bigint)::double then try_cast(value as bigint) end;

-- A count, small enough that the sum of thousands of counts fits into a bigint.
create macro macros.counter(value) as
    case when try_cast(value as double) between 0 and 1000000000000000 then whole(value) end;

-- A quantity, exact to four decimals.
create macro macros.number(value) as try_cast(value as decimal(18, 4));
create macro macros.quantity(value) as case when number(value) >= 0 then number(value) end;

-- Microseconds since 1970; null outside the years 1970 to 9999.
create macro macros.epoch(value) as
    case
        -- The usual form.
        when try_cast(value as bigint)::varchar = value and try_cast(value as bigint) between 0 and 253402300799999999
        then try_cast(value as bigint)
        when whole(value) between 0 and 253402300799999999 then whole(value)
    end;

-- The KST day of microseconds since 1970. KST is nine hours ahead of UTC all year, so integer arithmetic suffices.
create macro macros.korean_day(micros) as
    date '1970-01-01' + ((micros + 32400000000) // 86400000000)::integer;

-- An instant, or null if a change of time zone would leave the range of its type.
create macro macros.within_calendar(instant) as
    case when instant between '0001-01-02' and '9999-12-30' then instant end;

-- Wall-clock time in Korea. The service gives no time zone; if a text has one, it is converted.
create macro macros.korean_time(value) as case
    when regexp_matches(value, '(Z|[+-]\d\d:?\d\d)$')
    then within_calendar(try_cast(value as timestamptz)) at time zone 'Asia/Seoul'
    else within_calendar(try_cast(value as timestamp))
end;

-- Whether a column can take a JSON value of this kind; false for an unknown key. The first character of a value tells its
-- type faster than json_type.
create macro macros.fits(kind, value) as coalesce(
    case
        when kind in ('any', 'text', 'document') or value is null or value = 'null' then kind is not null
        when starts_with(value, '{') then kind = 'object'
        when starts_with(value, '[') then kind = 'list'
        when kind in ('string', 'recipient') then true
        -- A small number, the usual one, is a number of every kind.
        when kind in ('whole', 'counter', 'quantity', 'number') and regexp_full_match(value, '[0-9]{1,9}') then true
        when kind = 'whole' then try_cast(whole(value ->> '$') as integer) is not null
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

-- Whether a JSON value also has the type of the specification: text is text, and a count is a number.
create macro macros.conforms(kind, value) as
    fits(kind, value)
    and case
        when value = 'null' then true
        when kind in ('string', 'recipient', 'epoch', 'time', 'day') then coalesce(starts_with(value, '"'), true)
        when kind = 'counter' then not coalesce(starts_with(value, '"'), false)
        else true
    end;

-- Replaces the messenger's own name by `chatapp` and underscores by hyphens (field notes: "channel spelling").
create macro macros.neutral_channel(channel) as case
    when channel in ('text-message', 'email', 'push-notification', 'web-push-notification', 'in-app-message', 'in-web-message') then channel
    when replace(channel, '_', '-') = getvariable('settings').messenger then 'chatapp'
    when starts_with(replace(channel, '_', '-'), getvariable('settings').messenger || '-')
    then 'chatapp' || substr(replace(channel, '_', '-'), length(getvariable('settings').messenger) + 1)
    else nullif(replace(channel, '_', '-'), '')
end;

-- The rows of a page of a list (E2, E4, E10, E12), from the values of `data` and `templateListResponse`.
create macro macros.rows_in(data, response) as coalesce(
    if(
        json_type(data) = 'ARRAY',
        data -> '$[*]',
        (data -> '$.items[*]') || (data -> '$.templates[*]') || (data -> '$.catalogs[*]')
    ),
    []
) || coalesce(response -> '$.templates[*]', []);

-- A key and a value as a member of a JSON object, as text.
create macro macros.member(key, value) as to_json(key)::varchar || ':' || coalesce(value::varchar, 'null');

-- A JSON object, as text that does not depend on the order of its members; any other value as it is.
create macro macros.sorted_members(object) as case
    when starts_with(object::varchar, '{')
    then list_sort([key || ':' || coalesce(json_extract(object, pointer(key))::varchar, '') for key in json_keys(object)])::varchar
    else object::varchar
end;

-- The structure by which json_transform reads a document of a place: scalars as text, everything else as JSON.
create macro macros.shape(place) as getvariable('specification').shapes[place];

-- A JSON object of the members; null without members.
create macro macros.object_of(members) as
    if(len(members) > 0, '{' || array_to_string(members, ',') || '}', null);

create macro macros.first_members(object) as object_of(
    list_transform(
        list_filter(json_keys(object), lambda key, place: list_position(json_keys(object), key) = place),
        lambda key: member(key, json_extract(object, pointer(key)))
    )
);

-- A document after merge patches, in turn.
create macro macros.patched(document, patches) as
    list_reduce(list_prepend(document, patches), lambda so_far, patch: json_merge_patch(so_far, patch));

-- The kind and the value of each field of the place, also in the object inside the document, and the patch that removes it.
create macro macros.fields_in(document, place) as list_zip(
    getvariable('members')[place].kinds,
    json_extract(document, getvariable('members')[place].pointers),
    getvariable('members')[place].patches
);

-- Patches that remove the values that no column can take.
create macro macros.misfits(document, place) as
    [one[3] for one in fields_in(document, place) if not fits(one[1], one[2])];

-- Whether a value is of another kind than the specification says.
create macro macros.has_misfit(document, place) as
    len([1 for one in fields_in(document, place) if not conforms(one[1], one[2])]) > 0;

-- The members with unknown keys of an object, as text.
create macro macros.without_known(document, place) as
    json_merge_patch(document, getvariable('specification').without_known[place])::varchar;

-- The same without the object inside it if nothing of that is unknown; credentials are not masked.
create macro macros.unknown_members(without_known, place) as case
    when contains(without_known, '{}')
        and json_extract(without_known, pointer(getvariable('specification').parts[place])) = '{}'
    then json_merge_patch(without_known, json_object(getvariable('specification').parts[place], null))::varchar
    else without_known
end;

-- A document without what is kept in rows of its own, as text.
create macro macros.own_text(document, place) as patched(
    document,
    [one[3] for one in fields_in(document, place) if one[1] in ('list', 'document') and fits(one[1], one[2])]
)::varchar;

-- The members as an `extra` column with credentials masked; null without members. Of two members with the same key the
-- first counts, as in all other statements. The argument must be a column, since DuckDB expands it wherever the
-- parameter occurs.
create macro macros.as_extra(members) as case
    when members <> '{}' and len(list_distinct(json_keys(members))) = len(json_keys(members)) then masked(members)::json
    when members <> '{}' then list_transform([first_members(members)], lambda one: masked(one))[1]::json
end;

-- JSON, as text, with the number of a recipient as privacy.recipients says. In other places of a document the number was
-- redacted before; under this key, in this form, only where a column would not have taken it.
create macro macros.without_recipient(document) as case
    when getvariable('settings').recipients = 'keep' or not contains(document, '"recipientNo":"') then document
    else
        list_transform(
            [regexp_extract(document, '"recipientNo":"([^"\\]*)"', 1)],
            lambda number: replace(
                document,
                '"recipientNo":"' || number || '"',
                '"recipientNo":' || coalesce(to_json(recipient(number))::varchar, 'null')
            )
        )[1]
end;

-- The part of a document that `extra` holds, as text. If a value is of another kind than the specification says, it is the
-- whole text without the parts that have rows of their own; otherwise it is the members with unknown keys.
create macro macros.odd_members(document, place, has_misfit, without_known) as case
    when not starts_with(document, '{') then object_of([member('value', document)])
    when has_misfit then own_text(document, place)
    else unknown_members(without_known, place)
end;

-- A document without values that no column can take; null if it is not an object.
create macro macros.fitting(document, place) as
    case when starts_with(document, '{') then patched(document, misfits(document, place)) end;

-- The id of contents: a hash of all texts and their lengths. The lengths distinguish texts that are equal when joined.

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

-- Macros for the steps of reading export records (load/events/2_read).

-- Whether a field that the specification defines as text holds another type.
create macro macros.holds_no_text(document, place) as
    list_has_any(
        json_type(document, getvariable('specification').texts[place]),
        ['OBJECT', 'ARRAY', 'UBIGINT', 'BIGINT', 'DOUBLE', 'BOOLEAN']
    );

-- The length of a value in a JSON document, from what json_transform reads of it, if the value is a text without
-- characters that JSON escapes, or null. A number, a boolean, an object and a list are two shorter than a text: a sum of
-- lengths tells a record of texts alone ten times as fast as the types of its values do.
create macro macros.quoted_length(given) as coalesce(strlen(given)::integer + 2, 4);

-- The length of a JSON object of these keys without its values. A known key that it lacks counts as a value of null,
-- which quoted_length counts.
create macro macros.framing(keys, known) as
    (strlen(array_to_string(keys, '')) + 4 * len(keys) + 1 - 4 * (len(known) - len(keys)))::integer;

-- Whether the value of a field is of another kind than the specification says.
create macro macros.is_no_list(given) as coalesce(given <> 'null' and not starts_with(given, '['), false);
create macro macros.is_no_object(given) as coalesce(given <> 'null' and not starts_with(given, '{'), false);
create macro macros.is_unreadable(given, value) as given is not null and value is null;

-- Unwraps a message that is a text of JSON, as some services send it.
create macro macros.unwrapped(given) as case
    when starts_with(given, '"')
    then case when json_valid(given ->> '$') then json(given ->> '$') else given end
    else given
end;

-- Whether metadata hold no information; most do not.
create macro macros.says_nothing(given) as
    given is null or given in ('null', '{"channel_subtype":null,"brand_message_target":null}');

create macro macros.is_nonconforming_metadata(given) as case
    when says_nothing(given) then false
    when not starts_with(given, '{') then true
    else
        not list_has_all(['channel_subtype', 'brand_message_target'], json_keys(given))
        or holds_no_text(given, 'channel_metadata')
end;

-- The text of a text, number or boolean; null for any other value.
create macro macros.scalar(given) as
    case when starts_with(given, '{') or starts_with(given, '[') then null else given ->> '$' end;

-- The day on which a record counts: the Korean day of its time, or the day of its export if the time is missing, more than
-- a day after the export's day or more than 31 days before it. Such a distant time is an error of the sender (wrong unit,
-- wrong clock).
create macro macros.counted_day(micros, export_day) as
    if(korean_day(micros) - export_day between -31 and 1, korean_day(micros), export_day);

-- The value of a record's field after redaction. Ids are excepted, since they consist largely of digits.
create macro macros.redacted_field(given) as
    case when regexp_full_match(given, getvariable('patterns').plain_id) then given else redacted(given) end;

-- The rule of privacy.columns for a column or key; null if it is kept.
create macro macros.rule_of(key) as
    map_extract_value(map(getvariable('settings').ruled_keys, getvariable('settings').rules), key);

-- The digest of an id of this kind, which is also the hash under privacy.columns. It differs between kinds.
create macro macros.id_digest(kind, given) as digest(kind || ' ' || redacted_field(given));

-- A value under the rule of its column or key.
create macro macros.ruled(key, given) as case rule_of(key)
    when 'drop' then null
    when 'hash'
    then if(
        given = '',
        given,
        id_digest(map_extract_value(map(getvariable('settings').ruled_keys, getvariable('settings').ruled_names), key), given)
    )
    else given
end;

-- A member of a document as it is, and under its rule, separated by a character that JSON escapes.
create macro macros.ruled_member(key, value) as
    to_json(key)::varchar || ':' || value || chr(31)
    || to_json(key)::varchar || ':' || coalesce(to_json(ruled(key, value ->> '$'))::varchar, 'null');

-- A document with the replaced members, of which the longest come first, since a value may hold others. The character
-- after a member ends its value. A document may be a text as a whole.
create macro macros.with_members(document, members) as
    coalesce(
        list_reduce(
            members,
            lambda seen, one: if(
                seen = split_part(one, chr(31), 1),
                split_part(one, chr(31), 2),
                list_reduce(
                    [',', '}', ']'],
                    lambda so_far, sign: replace(
                        so_far, split_part(one, chr(31), 1) || sign, split_part(one, chr(31), 2) || sign
                    ),
                    seen
                )
            ),
            document
        ),
        document
    );
