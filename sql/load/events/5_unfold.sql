-- The lists in messages, one row per element, with the records that carry it.

create or replace table buttons as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position,
    null::json as extra
from (
    select records, message -> '$.buttons[*]' as given
    from messages
    where carries in ('chatapp-friendtalk', 'chatapp-alimtalk', 'in-app-message', 'in-web-message')
) as lists;

create or replace table attachments as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position,
    null::json as extra
from (
    select records, message -> '$.attachFileList[*]' as given
    from messages
    where carries = 'text-message'
) as lists;
