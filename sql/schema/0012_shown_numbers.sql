-- The 080 numbers that a text shows, as digits: what its recipient can call to opt out.
create macro marts.shown_numbers(text) as list_distinct(list_transform(
    regexp_extract_all(text, '(?:^|[^0-9])(080[-. )]{0,2}[0-9]{3,4}[-. ]{0,2}[0-9]{4})(?:[^0-9]|$)', 1),
    lambda number: regexp_replace(number, '[^0-9]', '', 'g')
));
