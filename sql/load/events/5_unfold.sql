-- Unfolds each list in a message to one row per element. Each row also lists the records that carry the message.

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
-- The distinct key lists of messages and of the objects inside them, by place: a few dozen rows. The keys are null for
-- a value that is not an object.

select 'message_data:' || carries as place, json_keys(message) as keys
from messages
where carries <> 'other'
group by all

union all
{parts};
