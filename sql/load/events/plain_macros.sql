-- The value of a field of a plain record, by the place of its key; null where no record has it.
create or replace temp macro given_field(given, field) as
    given[list_position(getvariable('record_keys'), field)]::varchar;

-- Whether a text may have been an object or a list. Titles in brackets, as on advertising, are neither.
create or replace temp macro may_be_nested(given) as case
    when starts_with(given, '{') or starts_with(given, '[') then json_valid(given)
    else false
end;
