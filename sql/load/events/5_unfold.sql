-- The lists in messages, one row per element.

create or replace table buttons as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position,
    null::json as extra
from (
    select event_id, date, export_date, message -> '$.buttons[*]' as given
    from staged
    where carries in ('chatapp-friendtalk', 'chatapp-alimtalk', 'in-app-message', 'in-web-message')
) as lists;

create or replace table attachments as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position,
    null::json as extra
from (
    select event_id, date, export_date, message -> '$.attachFileList[*]' as given
    from staged
    where carries = 'text-message'
) as lists;
