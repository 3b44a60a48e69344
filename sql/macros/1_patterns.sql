-- Patterns of personal data and credentials, as regular expressions (RE2). A macro without parameters is a constant to the
-- statement that uses it, so that a pattern is compiled once. src/redaction.ts reads this file.

-- Separators between the digits of a number: hyphens, dots, blanks, brackets, commas, slashes, underscores, and how
-- links and HTML write them.
create macro macros.gap_pattern() as '(?:[-.,/_\s()+\x{A0}\x{B7}\x{2010}-\x{2015}\x{3000}]|%2[0BbCcDdEeFf]|&nbsp;){0,3}';

-- A Korean mobile number, with 0 or the country's 82 in front: 010 and eight digits, or 011, 016 to 019 and seven or
-- eight. Service numbers (080, 15xx) and landlines are none.
create macro macros.mobile_pattern() as (
    '(?:(?:\+|00)?82' || gap_pattern() || '0?' || gap_pattern() || '|0)'
    || '(?:10' || gap_pattern() || '[0-9]{4}' || gap_pattern() || '[0-9]{4}'
    || '|1[16789]' || gap_pattern() || '[0-9]{3,4}' || gap_pattern() || '[0-9]{4})'
);

-- Any telephone number that stands alone, and those of services, which are nobody's.
create macro macros.telephone_pattern() as '\+?\(?[0-9][0-9 ().\x{2010}-\x{2015}-]{5,18}[0-9]';
create macro macros.service_number_pattern() as '080[-. ]?[0-9]{3,4}[-. ]?[0-9]{4}|1[568][0-9]{2}[-. ]?[0-9]{4}';

-- The sign of an e-mail address as texts, links and HTML write it.
create macro macros.at_sign_pattern() as '(?:@|%40|&#0*64;|&#[xX]0*40;|&commat;|\x{FF20}|\\u0040)';
create macro macros.address_pattern() as (
    '(?:[A-Za-z0-9_](?:[A-Za-z0-9._+-]|''[A-Za-z0-9]|%2[Bb])*'
    || '|[\p{L}\p{N}._+-]*[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}\p{Cyrillic}\p{Greek}\x{C0}-\x{24F}])'
    || at_sign_pattern()
    || '(?:(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:xn--[A-Za-z0-9-]+|[A-Za-z]{2,})|(?:[\p{L}\p{N}-]+\.)+\p{L}{2,})'
);
-- A value that is an address and nothing else may be as odd as addresses can be.
create macro macros.lone_address_pattern() as '\s*(?:mailto:)?[!-9=?A-~]+@[!-.0-9A-~]+\.[!-.0-9A-~]+\s*';
-- Pictures for fine screens are named like addresses: logo@2x.png.
create macro macros.picture_pattern() as '[0-9.]+x\.[A-Za-z]+$';

-- Keys of recipients' numbers: those that can mean nothing else, and those whose value has to look like one, too.
create macro macros.recipient_key_pattern() as '(?i:recipient[-_ ]?(?:no|num|phone|tel|mobile)[-_ a-z]*)';
create macro macros.telephone_key_pattern() as (
    '(?i:to|hp|msisdn|recipients?|receivers?|[-_ a-z]*(?:recipient|receiver|phone|mobile|cell|tel)[-_ ]?(?:no|num|number|list)?s?)'
);

-- Whether a text may hold an address or a mobile number at all: one pass, and most texts do not.
create macro macros.suspicion_pattern() as (
    '[^\s@]' || at_sign_pattern() || '[^\s@.\x{FF0E}]+[.\x{FF0E}]|' || mobile_pattern()
    || '|[\x{FF10}-\x{FF19}\x{1D7CE}-\x{1D7FF}' || getvariable('small_digits') || ']|[0-9]' || gap_pattern() || getvariable('unseen')
    || '|"' || recipient_key_pattern() || '"\s*:'
);

-- JSON as DuckDB writes it, without blanks: a text, a number, a value up to four levels deep.
create macro macros.json_text_pattern() as '"(?:[^"\\]|\\.)*"';
create macro macros.json_number_pattern() as '-?[0-9][0-9.eE+-]*';
create macro macros.json_level_1_pattern() as '[[{](?:[^][{}"]|' || json_text_pattern() || ')*[]}]';
create macro macros.json_level_2_pattern() as (
    '[[{](?:[^][{}"]|' || json_text_pattern() || '|' || json_level_1_pattern() || ')*[]}]'
);
create macro macros.json_level_3_pattern() as (
    '[[{](?:[^][{}"]|' || json_text_pattern() || '|' || json_level_2_pattern() || ')*[]}]'
);
create macro macros.json_value_pattern() as (
    '(?:' || json_text_pattern() || '|' || json_number_pattern() || '|' || json_level_3_pattern() || ')'
);

create macro macros.written_member_pattern() as '"' || recipient_key_pattern() || '"\s*:\s*"?';
-- A suspicious text is read from the left as: keys of recipients with their numbers, as in JSON; addresses; ids (UUIDs, long hexadecimal words) and escapes, which are
-- passed over; mobile numbers; and other digits, so that no number begins or ends within a longer one.
create macro macros.plain_id_pattern() as '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{16,}';
create macro macros.pieces_pattern() as (
    written_member_pattern() || '[+0-9(][0-9 ().-]{5,18}[0-9]|' || address_pattern()
    || '|' || plain_id_pattern()
    || '|%(?:2[0-9A-Fa-f]|3[A-Fa-f]|[4-9A-Fa-f][0-9A-Fa-f])|\\u[0-9A-Fa-f]{4}'
    || '|' || mobile_pattern() || '[0-9]*|[0-9]+'
);

create macro macros.sure_key_pattern() as '^"' || recipient_key_pattern() || '":$';
create macro macros.telephone_member_pattern() as '^"(?:' || recipient_key_pattern() || '|' || telephone_key_pattern() || ')":';
create macro macros.json_scalars_pattern() as json_text_pattern() || ':?|' || json_number_pattern();
create macro macros.json_pieces_pattern() as (
    '"sendNo":' || json_text_pattern()
    || '|"(?:' || recipient_key_pattern() || '|' || telephone_key_pattern() || ')":' || json_value_pattern()
    || '|' || json_scalars_pattern()
);
create macro macros.json_suspicion_pattern() as (
    suspicion_pattern() || '|\\u(?:00[2-7aA]|[fF]{2}|[fF]eff|20[0-8]|00[bB][239]|24[6eE]|[dD]835|034[fF]|11[56]|3164)'
    || '|"(?:' || recipient_key_pattern() || '|' || telephone_key_pattern() || ')\\?"\s*:'
);

-- Names of headers, keys and query parameters that carry credentials.
create macro macros.credential_pattern() as (
    '(?i:[^"\\:=&?#\s]*(?:authorization|cookie|token|secret|signature|password|passwd|credential|jwt|bearer'
    || '|(?:api|access|private|auth|signing|encryption)[-_ ]?key|session[-_ ]?id|hmac)[^"\\:=&?#\s]*'
    || '|(?:x-)?auth|x-[^"\\:=&?#\s]*(?:auth|key|sign)[^"\\:=&?#\s]*)'
);
create macro macros.credential_query_pattern() as (
    '[?&;#](?:' || credential_pattern() || '|(?i:key|sig|sign|pwd|pass|sid|auth))='
);
create macro macros.bearer_word_pattern() as '(?i:\b(?:bearer|basic|digest|apikey)(?:\s|%20|\+)+)';
create macro macros.bearer_value_pattern() as '[A-Za-z0-9._~+/-]*[0-9._~+/=-][A-Za-z0-9._~+/=-]*';
create macro macros.credential_suspicion_pattern() as (
    '(?i)auth|cookie|token|secret|sign|passw|pwd|credential|jwt|bearer|basic|digest|hmac|session|key'
    || '|[?&;#](?:pass|sid|sig)=|://[^/"]*@'
);
