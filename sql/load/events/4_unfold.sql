-- Unfolds each list in a message to one row per element. Each row also lists the records that carry the message.

-- name: list
create or replace table {place}s as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position,
    null::json as extra
from (
    select records, {elements} as given
    from messages
    where carries in ({channels})
) as lists;

-- name: all
{lists}
-- The places with unknown or repeated keys, or with a value that is not an object, from the few dozen distinct lists of keys of
-- messages and of the objects inside them.

select distinct place
from (
    select
        'message_data:' || carries as place,
        'message_data:' || carries as specified,
        json_keys(message) as keys
    from messages
    where carries <> 'other'
    group by all

    union all
    {parts}
) as found
where
    not coalesce(
        list_has_all((select list(fields.field) from fields where fields.place = found.specified), found.keys)
        and len(list_distinct(found.keys)) = len(found.keys),
        false
    );
