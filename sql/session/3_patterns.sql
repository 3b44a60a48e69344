-- Patterns of personal data and credentials, as regular expressions (RE2) in one session variable, which statements
-- treat as a constant. As macros they would be compiled whenever the macros are created, and expanded wherever they are
-- used, which would take 0.3 of a load's 3 seconds.

set variable patterns = (
    select patterns
    from (
        select
            -- Disguises: full-width forms of ASCII, and invisible characters (format characters such as zero-width
            -- blanks, and fillers).
            '[\p{Cf}\x{34F}\x{115F}\x{1160}\x{3164}\x{FFA0}]' as unseen,
            '[\x{FF01}-\x{FF5E}]|' || unseen as disguise,

            -- Separators between the digits of a number: hyphens, dots, blanks, brackets, commas, slashes, underscores,
            -- and their forms in links and HTML.
            '(?:[-.,/_\s()+\x{A0}\x{B7}\x{2010}-\x{2015}\x{3000}]|%2[0BbCcDdEeFf]|&nbsp;){0,3}' as gap,

            -- A Korean mobile number, with a leading 0 or country code 82: 010 and eight digits, or 011, 016 to 019 and
            -- seven or eight digits. Service numbers (080, 15xx) and landlines do not match.
            (
                '(?:(?:\+|00)?82' || gap || '0?' || gap || '|0)'
                || '(?:10' || gap || '[0-9]{4}' || gap || '[0-9]{4}'
                || '|1[16789]' || gap || '[0-9]{3,4}' || gap || '[0-9]{4})'
            ) as mobile,

            -- Any telephone number that is a whole value, and service numbers, which are not personal.
            '\+?\(?[0-9][0-9 ().\x{2010}-\x{2015}-]{5,18}[0-9]' as telephone,
            '080[-. ]?[0-9]{3,4}[-. ]?[0-9]{4}|1[568][0-9]{2}[-. ]?[0-9]{4}' as service_number,

            -- The at sign of an e-mail address in texts, links and HTML.
            '(?:@|%40|&#0*64;|&#[xX]0*40;|&commat;|\x{FF20}|\\u0040)' as at_sign,
            (
                '(?:[A-Za-z0-9_](?:[A-Za-z0-9._+-]|''[A-Za-z0-9]|%2[Bb])*'
                || '|[\p{L}\p{N}._+-]*[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}\p{Cyrillic}\p{Greek}\x{C0}-\x{24F}])'
                || at_sign
                || '(?:(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:xn--[A-Za-z0-9-]+|[A-Za-z]{2,})|(?:[\p{L}\p{N}-]+\.)+\p{L}{2,})'
            ) as address,
            -- A value that is only an address may have any characters that addresses allow.
            '\s*(?:mailto:)?[!-9=?A-~]+@[!-.0-9A-~]+\.[!-.0-9A-~]+\s*' as lone_address,
            -- Names of high-resolution pictures look like addresses: logo@2x.png.
            '[0-9.]+x\.[A-Za-z]+$' as picture,

            -- Keys of recipients' numbers: unambiguous keys, and keys whose value must look like a number too.
            '(?i:recipient[-_ ]?(?:no|num|phone|tel|mobile)[-_ a-z]*)' as recipient_key,
            (
                '(?i:to|hp|msisdn|recipients?|receivers?|[-_ a-z]*(?:recipient|receiver|phone|mobile|cell|tel)[-_ ]?(?:no|num|number|list)?s?)'
            ) as telephone_key,

            -- Whether a text may hold an address or a mobile number: one pass, which most texts do not match.
            (
                '[^\s@]' || at_sign || '[^\s@.\x{FF0E}]+[.\x{FF0E}]|' || mobile
                || '|[\x{FF10}-\x{FF19}]|[0-9]' || gap || unseen
                || '|"' || recipient_key || '"\s*:'
            ) as suspicion,

            -- JSON as DuckDB writes it, without blanks: a text, a number, a value with up to four levels.
            '"(?:[^"\\]|\\.)*"' as json_text,
            '-?[0-9][0-9.eE+-]*' as json_number,
            '[[{](?:[^][{}"]|' || json_text || ')*[]}]' as json_level_1,
            (
                '[[{](?:[^][{}"]|' || json_text || '|' || json_level_1 || ')*[]}]'
            ) as json_level_2,
            (
                '[[{](?:[^][{}"]|' || json_text || '|' || json_level_2 || ')*[]}]'
            ) as json_level_3,
            (
                '(?:' || json_text || '|' || json_number || '|' || json_level_3 || ')'
            ) as json_value,

            '"' || recipient_key || '"\s*:\s*"?' as written_member,
            -- A suspicious text is scanned from the left for: keys of recipients with their numbers, as in JSON;
            -- addresses; ids (UUIDs, long hexadecimal words) and escapes, which are skipped; mobile numbers; other
            -- digits, so that no number begins or ends within a longer one.
            '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{16,}' as plain_id,
            (
                written_member || '[+0-9(][0-9 ().-]{5,18}[0-9]|' || address
                || '|' || plain_id
                || '|%(?:2[0-9A-Fa-f]|3[A-Fa-f]|[4-9A-Fa-f][0-9A-Fa-f])|\\u[0-9A-Fa-f]{4}'
                || '|' || mobile || '[0-9]*|[0-9]+'
            ) as pieces,

            '^"' || recipient_key || '":$' as sure_key,
            '^"(?:' || recipient_key || '|' || telephone_key || ')":' as telephone_member,
            json_text || ':?|' || json_number as json_scalars,
            (
                '"sendNo":' || json_text
                || '|"(?:' || recipient_key || '|' || telephone_key || ')":' || json_value
                || '|' || json_scalars
            ) as json_pieces,
            (
                suspicion || '|\\u(?:00[2-7aA]|[fF]{2}|[fF]eff|20[0-6]|034[fF]|11[56]|3164)'
                || '|"(?:' || recipient_key || '|' || telephone_key || ')\\?"\s*:'
            ) as json_suspicion,

            -- Names of headers, keys and query parameters that carry credentials.
            (
                '(?i:[^"\\:=&?#\s]*(?:authorization|cookie|token|secret|signature|password|passwd|credential|jwt|bearer'
                || '|(?:api|access|private|auth|signing|encryption)[-_ ]?key|session[-_ ]?id|hmac)[^"\\:=&?#\s]*'
                || '|(?:x-)?auth|x-[^"\\:=&?#\s]*(?:auth|key|sign)[^"\\:=&?#\s]*)'
            ) as credential,
            (
                '[?&;#](?:' || credential || '|(?i:key|sig|sign|pwd|pass|sid|auth))='
            ) as credential_query,
            '(?i:\b(?:bearer|basic|digest|apikey)(?:\s|%20|\+)+)' as bearer_word,
            '[A-Za-z0-9._~+/-]*[0-9._~+/=-][A-Za-z0-9._~+/=-]*' as bearer_value,
            (
                '(?i)auth|cookie|token|secret|sign|passw|pwd|credential|jwt|bearer|basic|digest|hmac|session|key'
                || '|[?&;#](?:pass|sid|sig)=|://[^/"]*@'
            ) as credential_suspicion
    ) as patterns
);
