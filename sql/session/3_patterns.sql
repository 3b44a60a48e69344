-- Patterns of personal data and credentials, as regular expressions (RE2) in variables of the session. Statements
-- read them by getvariable, which is a constant to them.

-- Separators between the digits of a number: hyphens, dots, blanks, brackets, commas, slashes, underscores, and how
-- links and HTML write them.
set variable gap = '(?:[-.,/_\s()+\x{A0}\x{B7}\x{2010}-\x{2015}\x{3000}]|%2[0BbCcDdEeFf]|&nbsp;){0,3}';

-- Disguises: full-width forms of ASCII, and characters that are not seen (formats such as zero-width blanks, and fillers).
set variable unseen = '[\p{Cf}\x{34F}\x{115F}\x{1160}\x{3164}\x{FFA0}]';
set variable disguise = '[\x{FF01}-\x{FF5E}]|' || getvariable('unseen');

-- A Korean mobile number, with 0 or the country's 82 in front: 010 and eight digits, or 011, 016 to 019 and seven or
-- eight. Service numbers (080, 15xx) and landlines are none.
set variable mobile = (
    '(?:(?:\+|00)?82' || getvariable('gap') || '0?' || getvariable('gap') || '|0)'
    || '(?:10' || getvariable('gap') || '[0-9]{4}' || getvariable('gap') || '[0-9]{4}'
    || '|1[16789]' || getvariable('gap') || '[0-9]{3,4}' || getvariable('gap') || '[0-9]{4})'
);

-- Any telephone number that stands alone, and those of services, which are nobody's.
set variable telephone = '\+?\(?[0-9][0-9 ().\x{2010}-\x{2015}-]{5,18}[0-9]';
set variable service_number = '080[-. ]?[0-9]{3,4}[-. ]?[0-9]{4}|1[568][0-9]{2}[-. ]?[0-9]{4}';

-- The sign of an e-mail address as texts, links and HTML write it.
set variable at_sign = '(?:@|%40|&#0*64;|&#[xX]0*40;|&commat;|\x{FF20}|\\u0040)';
set variable address = (
    '(?:[A-Za-z0-9_](?:[A-Za-z0-9._+-]|''[A-Za-z0-9]|%2[Bb])*'
    || '|[\p{L}\p{N}._+-]*[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}\p{Cyrillic}\p{Greek}\x{C0}-\x{24F}])'
    || getvariable('at_sign')
    || '(?:(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:xn--[A-Za-z0-9-]+|[A-Za-z]{2,})|(?:[\p{L}\p{N}-]+\.)+\p{L}{2,})'
);
-- A value that is an address and nothing else may be as odd as addresses can be.
set variable lone_address = '\s*(?:mailto:)?[!-9=?A-~]+@[!-.0-9A-~]+\.[!-.0-9A-~]+\s*';
-- Pictures for fine screens are named like addresses: logo@2x.png.
set variable picture = '[0-9.]+x\.[A-Za-z]+$';

-- Keys of recipients' numbers: those that can mean nothing else, and those whose value has to look like one, too.
set variable recipient_key = '(?i:recipient[-_ ]?(?:no|num|phone|tel|mobile)[-_ a-z]*)';
set variable telephone_key = (
    '(?i:to|hp|msisdn|recipients?|receivers?|[-_ a-z]*(?:recipient|receiver|phone|mobile|cell|tel)[-_ ]?(?:no|num|number|list)?s?)'
);

-- Whether a text may hold an address or a mobile number at all: one pass, and most texts do not.
set variable suspicion = (
    '[^\s@]' || getvariable('at_sign') || '[^\s@.\x{FF0E}]+[.\x{FF0E}]|' || getvariable('mobile')
    || '|[\x{FF10}-\x{FF19}]|[0-9]' || getvariable('gap') || getvariable('unseen')
    || '|"' || getvariable('recipient_key') || '"\s*:'
);

-- JSON as DuckDB writes it, without blanks: a text, a number, a value up to four levels deep.
set variable json_text = '"(?:[^"\\]|\\.)*"';
set variable json_number = '-?[0-9][0-9.eE+-]*';
set variable json_level_1 = '[[{](?:[^][{}"]|' || getvariable('json_text') || ')*[]}]';
set variable json_level_2 = (
    '[[{](?:[^][{}"]|' || getvariable('json_text') || '|' || getvariable('json_level_1') || ')*[]}]'
);
set variable json_level_3 = (
    '[[{](?:[^][{}"]|' || getvariable('json_text') || '|' || getvariable('json_level_2') || ')*[]}]'
);
set variable json_value = (
    '(?:' || getvariable('json_text') || '|' || getvariable('json_number') || '|' || getvariable('json_level_3') || ')'
);

set variable written_member = '"' || getvariable('recipient_key') || '"\s*:\s*"?';
-- A suspicious text is read from the left as: keys of recipients with their numbers, as in JSON; addresses; ids (UUIDs, long hexadecimal words) and escapes, which are
-- passed over; mobile numbers; and other digits, so that no number begins or ends within a longer one.
set variable plain_id = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{16,}';
set variable pieces = (
    getvariable('written_member') || '[+0-9(][0-9 ().-]{5,18}[0-9]|' || getvariable('address')
    || '|' || getvariable('plain_id')
    || '|%(?:2[0-9A-Fa-f]|3[A-Fa-f]|[4-9A-Fa-f][0-9A-Fa-f])|\\u[0-9A-Fa-f]{4}'
    || '|' || getvariable('mobile') || '[0-9]*|[0-9]+'
);

set variable sure_key = '^"' || getvariable('recipient_key') || '":$';
set variable telephone_member = '^"(?:' || getvariable('recipient_key') || '|' || getvariable('telephone_key') || ')":';
set variable json_scalars = getvariable('json_text') || ':?|' || getvariable('json_number');
set variable json_pieces = (
    '"sendNo":' || getvariable('json_text')
    || '|"(?:' || getvariable('recipient_key') || '|' || getvariable('telephone_key') || ')":' || getvariable('json_value')
    || '|' || getvariable('json_scalars')
);
set variable json_suspicion = (
    getvariable('suspicion') || '|\\u(?:00[2-7aA]|[fF]{2}|[fF]eff|20[0-6]|034[fF]|11[56]|3164)'
    || '|"(?:' || getvariable('recipient_key') || '|' || getvariable('telephone_key') || ')\\?"\s*:'
);

-- Names of headers, keys and query parameters that carry credentials.
set variable credential = (
    '(?i:[^"\\:=&?#\s]*(?:authorization|cookie|token|secret|signature|password|passwd|credential|jwt|bearer'
    || '|(?:api|access|private|auth|signing|encryption)[-_ ]?key|session[-_ ]?id|hmac)[^"\\:=&?#\s]*'
    || '|(?:x-)?auth|x-[^"\\:=&?#\s]*(?:auth|key|sign)[^"\\:=&?#\s]*)'
);
set variable credential_query = (
    '[?&;#](?:' || getvariable('credential') || '|(?i:key|sig|sign|pwd|pass|sid|auth))='
);
set variable bearer_word = '(?i:\b(?:bearer|basic|digest|apikey)(?:\s|%20|\+)+)';
set variable bearer_value = '[A-Za-z0-9._~+/-]*[0-9._~+/=-][A-Za-z0-9._~+/=-]*';
set variable credential_suspicion = (
    '(?i)auth|cookie|token|secret|sign|passw|pwd|credential|jwt|bearer|basic|digest|hmac|session|key'
    || '|[?&;#](?:pass|sid|sig)=|://[^/"]*@'
);
