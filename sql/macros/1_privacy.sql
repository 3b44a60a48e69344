-- How personal data and credentials are put under the setting privacy.recipients, wherever they stand. The setting, the key
-- and the patterns are variables of the session: none of them is in the file.

-- HMAC-SHA-256 in hex; the pads are made of the key (RFC 2104).
create macro macros.digest(given) as
    sha256(getvariable('settings').outer_pad || unhex(sha256(getvariable('settings').inner_pad || encode(given))));

-- A text with full-width ASCII as ASCII, and without characters that are not seen. Numbers and addresses are looked for in it,
-- too; where none is found, a text stays as it came.
create macro macros.plain_script(given) as case
    -- As many bytes as letters are ASCII, which numbers nearly always are.
    when strlen(given) = length(given) then given
    when not regexp_matches(given, getvariable('patterns').disguise) then given
    else
        regexp_replace(
            translate(
                given,
                '！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ［＼］＾＿｀ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～',
                '!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~'
            ),
            getvariable('patterns').unseen,
            '',
            'g'
        )
end;

-- The same number in whichever spelling: its digits, with 0 in front where it is Korean, with the country's code elsewhere.
create macro macros.korean_number(given) as
    regexp_replace(regexp_replace(given, '[^0-9]|%2[0-9A-Za-z]', '', 'g'), '^(?:00)?820?', '0');

create macro macros.plain_number(given) as case
    when regexp_full_match(given, getvariable('patterns').mobile) then korean_number(given)
    -- A telephone number that is a number in JSON has lost its leading zero.
    when regexp_full_match(given, '10[0-9]{8}|1[16789][0-9]{7,8}') then '0' || given
    when not regexp_full_match(given, getvariable('patterns').telephone) then given
    when regexp_matches(given, '^(?:\+|00)82') then korean_number(given)
    else regexp_replace(regexp_replace(given, '[^0-9]', '', 'g'), '^00', '')
end;

-- The same e-mail address in whichever spelling.
create macro macros.plain_address(given) as
    lower(
        replace(
            regexp_replace(
                regexp_replace(trim(given), '^mailto:', '', 'i'), getvariable('patterns').at_sign, '@'
            ),
            '%2B',
            '+'
        )
    );

-- A recipient's number or address in the one spelling that is hashed; null of nothing. The lambda is there since DuckDB
-- expands a macro wherever its parameter stands.
create macro macros.plain_recipient(given) as case
    -- As they mostly come.
    when regexp_full_match(given, '010[0-9]{8}') then given
    when regexp_full_match(given, getvariable('patterns').lone_address) then plain_address(given)
    when trim(given) <> '' then list_transform([trim(plain_script(given))], lambda number: plain_number(number))[1]
end;

-- A recipient's number or address by the setting: as given, hashed, or null. What is a hash already stays it.
create macro macros.recipient(given) as case getvariable('settings').recipients
    when 'keep' then given
    when 'hash' then if(regexp_full_match(given, '[0-9a-f]{64}'), given, digest(plain_recipient(given)))
end;

-- A piece of a text: nothing of it is left where it is dropped.
create macro macros.redacted_piece(piece) as case
    -- Most pieces are digits of no matter: no address and no number is shorter.
    when length(piece) < 6 then piece
    -- A recipient's key and number in JSON that is itself a text.
    when regexp_matches(piece, getvariable('patterns').written_member)
    then
        regexp_extract(piece, getvariable('patterns').written_member)
        || coalesce(
            list_transform([regexp_replace(piece, getvariable('patterns').written_member, '')], lambda number: recipient(number))[1],
            ''
        )
    when regexp_matches(piece, getvariable('patterns').at_sign)
    then case
        when regexp_matches(piece, getvariable('patterns').picture) then piece
        when getvariable('settings').recipients = 'hash' then digest(plain_address(piece))
        else ''
    end
    when regexp_full_match(piece, getvariable('patterns').mobile)
    then if(getvariable('settings').recipients = 'hash', digest(korean_number(piece)), '')
    else piece
end;

-- Whether there is anything to do about a text, or about JSON: one look, and nearly always no.
create macro macros.may_be_personal(given) as
    getvariable('settings').recipients <> 'keep' and regexp_matches(given, getvariable('patterns').suspicion);

create macro macros.may_be_personal_json(document) as
    getvariable('settings').recipients <> 'keep' and regexp_matches(document, getvariable('patterns').json_suspicion);

-- A text that is no id: by chance the digits of an id look like a number.
create macro macros.unless_id(given) as case
    when strlen(given) < 16 then given
    when not regexp_full_match(given, getvariable('patterns').plain_id) then given
end;

-- Texts in quotes without those that are ids: by chance the digits of an id look like a number.
create macro macros.without_ids(quoted) as
    regexp_replace(quoted, '"(?:' || getvariable('patterns').plain_id || ')"', '""', 'g');

-- A text without the e-mail addresses and mobile numbers of people that are written in plain characters.
create macro macros.redacted_plain(given) as case
    when not may_be_personal(given) then given
    when
        regexp_full_match(given, getvariable('patterns').lone_address)
        and not regexp_matches(given, getvariable('patterns').picture)
    then if(getvariable('settings').recipients = 'hash', digest(plain_address(given)), null)
    else nullif(
        array_to_string(
            list_transform(
                list_zip(
                    regexp_split_to_array(given, getvariable('patterns').pieces),
                    list_transform(
                        regexp_extract_all(given, getvariable('patterns').pieces), lambda piece: redacted_piece(piece)
                    )
                ),
                lambda part: part[1] || coalesce(part[2], '')
            ),
            ''
        ),
        ''
    )
end;

-- A text without e-mail addresses and mobile numbers of people. As it came first, then in plain characters: a footnote's
-- digit behind a number must not save it, and only a text that hid something is changed in its other characters.
-- Written so that redacted_plain stands there once: DuckDB expands what a macro is made of where it stands, each time.
create macro macros.redacted(given) as case
    when not may_be_personal(given) then given
    else
        list_reduce(
            if(regexp_matches(given, getvariable('patterns').disguise), ['as it came', 'plain'], ['as it came']),
            lambda seen, how: list_transform(
                [if(how = 'plain', plain_script(seen), seen)],
                lambda looked_at: list_transform(
                    [redacted_plain(looked_at)],
                    lambda without: if(without = looked_at, seen, without)
                )[1]
            )[1],
            given
        )
end;

-- Whether a recipient's number, in its plain spelling, can be looked for in whatever stands around it: too few digits tell
-- nothing.
create macro macros.is_telling(number) as coalesce(regexp_full_match(number, '[0-9]{8,15}'), false);

-- A text without one number, however its digits are set apart.
create macro macros.without_number(given, number) as
    regexp_replace(
        given,
        '(?:(?:\+|00)?82' || getvariable('patterns').gap || ')?0{0,2}'
        || array_to_string(string_split(ltrim(number, '0'), ''), getvariable('patterns').gap),
        if(getvariable('settings').recipients = 'hash', digest(number), ''),
        'g'
    );

-- Whether a text holds the digits of a number, whatever stands between them.
create macro macros.holds_number(given, number) as
    contains(regexp_replace(given, '[^0-9]|%2[0BbDdEe]', '', 'g'), ltrim(number, '0'));

-- A URL without what it signs in with.
create macro macros.masked_url(given) as
    regexp_replace(
        regexp_replace(given, '(://)[^/?#@\s"\\]*@', '\1***@', 'g'),
        '(' || getvariable('patterns').credential_query || ')[^&#"\\\s]+',
        '\1***',
        'g'
    );

-- JSON, as text, without credentials, whatever the setting: those under keys that say so, in pairs of name and value, in lists of
-- such pairs, in headers that are one text, and in URLs.
create macro macros.masked(document) as case
    when not regexp_matches(document, getvariable('patterns').credential_suspicion) then document
    else
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(
                            regexp_replace(
                                masked_url(document),
                                '("(?i:name|key|header|field)":"' || getvariable('patterns').credential || '",'
                                || '"(?i:values?|content)":)' || getvariable('patterns').json_value,
                                '\1"***"',
                                'g'
                            ),
                            '("(?i:values?|content)":)' || getvariable('patterns').json_value
                            || '(,"(?i:name|key|header|field)":"' || getvariable('patterns').credential || '")',
                            '\1"***"\2',
                            'g'
                        ),
                        '("' || getvariable('patterns').credential || '",)' || getvariable('patterns').json_text || '([],])',
                        '\1"***"\2',
                        'g'
                    ),
                    '("' || getvariable('patterns').credential || '":)' || getvariable('patterns').json_value,
                    '\1"***"',
                    'g'
                ),
                '(?i)((?:authorization|cookie2?|x-[a-z-]*(?:auth|key|token|secret|sign)[a-z-]*)\\?"?\s*[:=]\s*\\?"?)'
                || '(?:[^"\\]|\\[^rnt"])+',
                '\1***',
                'g'
            ),
            '(' || getvariable('patterns').bearer_word || ')' || getvariable('patterns').bearer_value,
            '\1***',
            'g'
        )
end;
