-- Characters that hide digits and letters, as variables of the session.

-- Disguises: characters that are not seen (formats such as zero-width blanks, and fillers), and other forms of ASCII
-- (full-width, the digits of mathematics, raised, lowered and circled ones), which macros/1_privacy reads as what they stand
-- for (`plain_script`).
set variable unseen = '[\p{Cf}\x{34F}\x{115F}\x{1160}\x{3164}\x{FFA0}]';
set variable small_digits = '\x{B9}\x{B2}\x{B3}\x{2070}\x{2074}-\x{2079}\x{2080}-\x{2089}\x{2460}-\x{2468}\x{24EA}';
set variable other_forms = '[\x{FF01}-\x{FF5E}\x{1D7CE}-\x{1D7FF}' || getvariable('small_digits') || ']';
set variable disguise = getvariable('unseen') || '|' || getvariable('other_forms');
set variable disguised_letters = (
    select string_agg(chr((65281 + i)::integer), '' order by i) from range(94) as forms (i)
) || (select string_agg(chr((120782 + i)::integer), '' order by i) from range(50) as digits (i))
|| '¹²³⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉①②③④⑤⑥⑦⑧⑨⓪';
set variable plain_letters = (
    select string_agg(chr((33 + i)::integer), '' order by i) from range(94) as forms (i)
) || repeat('0123456789', 5) || '1230456789' || '0123456789' || '1234567890';
