-- The lists in messages, one row per element, with the records that carry it.

-- name: list
create or replace table {place}s as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position,
    null::json as extra
from (
    select records, message -> '$.{list}[*]' as given
    from messages
    where carries in ({channels})
) as lists;

-- name: all
{lists}
-- The keys of messages and of what lies inside of them, by place. Alike ones are one row, so these are a few dozen. Null is what
-- is no object.

select 'message_data:' || carries as place, json_keys(message) as keys
from messages
where carries <> 'other'
group by all

union all
{parts};
