-- How personal data and credentials are stored under the setting privacy.recipients, in any column. The setting, the
-- key and the patterns are session variables and never stored in the file.

-- HMAC-SHA-256 in hex; the pads are derived from the key (RFC 2104).
create macro macros.digest(given) as
    sha256(getvariable('settings').outer_pad || unhex(sha256(getvariable('settings').inner_pad || encode(given))));

-- A text with full-width ASCII converted to ASCII, and without invisible characters. Numbers and addresses are also
-- searched for in this form; a text without any is stored unchanged.
create macro macros.plain_script(given) as case
    -- The numbers of bytes and characters are equal for ASCII only; telephone numbers nearly always are.
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

-- The canonical form of a telephone number: its digits, with a leading 0 if it is Korean, otherwise with the country
-- code.
create macro macros.korean_number(given) as
    regexp_replace(regexp_replace(given, '[^0-9]|%2[0-9A-Za-z]', '', 'g'), '^(?:00)?820?', '0');

create macro macros.plain_number(given) as case
    when regexp_full_match(given, getvariable('patterns').mobile) then korean_number(given)
    -- A telephone number that is a JSON number has lost its leading zero.
    when regexp_full_match(given, '10[0-9]{8}|1[16789][0-9]{7,8}') then '0' || given
    when not regexp_full_match(given, getvariable('patterns').telephone) then given
    when regexp_matches(given, '^(?:\+|00)82') then korean_number(given)
    else regexp_replace(regexp_replace(given, '[^0-9]', '', 'g'), '^00', '')
end;

-- The canonical form of an e-mail address.
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

-- The canonical form of a recipient's number or address, which is hashed; null for an empty value. A lambda binds the
-- value once, since DuckDB expands the argument wherever the parameter occurs.
create macro macros.plain_recipient(given) as case
    -- The usual form.
    when regexp_full_match(given, '010[0-9]{8}') then given
    when regexp_full_match(given, getvariable('patterns').lone_address) then plain_address(given)
    when trim(given) <> '' then list_transform([trim(plain_script(given))], lambda number: plain_number(number))[1]
end;

-- A recipient's number or address under the setting: unchanged, hashed, or null. A value that is already a hash stays
-- unchanged.
create macro macros.recipient(given) as case getvariable('settings').recipients
    when 'keep' then given
    when 'hash' then if(regexp_full_match(given, '[0-9a-f]{64}'), given, digest(plain_recipient(given)))
end;

-- A piece of a text under the setting: unchanged, hashed, or empty if it is dropped.
create macro macros.redacted_piece(piece) as case
    -- Most pieces are irrelevant digits: an address or number has at least six characters.
    when length(piece) < 6 then piece
    -- The key and the number of a recipient, in JSON inside a text.
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

-- Whether a text, or JSON, may hold personal data. A single match, which nearly always fails.
create macro macros.may_be_personal(given) as
    getvariable('settings').recipients <> 'keep' and regexp_matches(given, getvariable('patterns').suspicion);

create macro macros.may_be_personal_json(document) as
    getvariable('settings').recipients <> 'keep' and regexp_matches(document, getvariable('patterns').json_suspicion);

-- A text, or null if it is an id: the digits of an id may look like a number by chance.
create macro macros.unless_id(given) as case
    when strlen(given) < 16 then given
    when not regexp_full_match(given, getvariable('patterns').plain_id) then given
end;

-- JSON strings with ids emptied: the digits of an id may look like a number by chance.
create macro macros.without_ids(quoted) as
    regexp_replace(quoted, '"(?:' || getvariable('patterns').plain_id || ')"', '""', 'g');

-- A text without e-mail addresses and mobile numbers of people in plain characters.
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

-- A text without e-mail addresses and mobile numbers of people, in any characters. The original text is examined first,
-- then its plain form, so that a footnote digit after a number does not protect it; the plain form replaces the text
-- only if it hides something more. redacted_plain occurs only once, since DuckDB expands a macro at each occurrence.
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

-- Whether a recipient's number, in canonical form, has enough digits to be searched for in any text.
create macro macros.is_telling(number) as coalesce(regexp_full_match(number, '[0-9]{8,15}'), false);

-- A text without one number, whatever separates its digits.
create macro macros.without_number(given, number) as
    regexp_replace(
        given,
        '(?:(?:\+|00)?82' || getvariable('patterns').gap || ')?0{0,2}'
        || array_to_string(string_split(ltrim(number, '0'), ''), getvariable('patterns').gap),
        if(getvariable('settings').recipients = 'hash', digest(number), ''),
        'g'
    );

-- Whether a text holds the digits of a number, whatever separates them.
create macro macros.holds_number(given, number) as
    contains(regexp_replace(given, '[^0-9]|%2[0BbDdEe]', '', 'g'), ltrim(number, '0'));

-- A URL with its credentials masked.
create macro macros.masked_url(given) as
    regexp_replace(
        regexp_replace(given, '(://)[^/?#@\s"\\]*@', '\1***@', 'g'),
        '(' || getvariable('patterns').credential_query || ')[^&#"\\\s]+',
        '\1***',
        'g'
    );

-- JSON, as text, with credentials masked under every setting: values under keys of credentials, in pairs of name and
-- value, in lists of such pairs, in headers written as one text, and in URLs.
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
