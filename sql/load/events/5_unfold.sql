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

-- The keys of messages and of what lies inside of them, by place. Alike ones are one row, so these are a few dozen. Null is what
-- is no object.

select 'message_data:' || carries as place, json_keys(message) as keys
from messages
where carries <> 'other'
group by all

union all
select 'message_data:email.body', coalesce(json_keys(message, '$.body'), [])
from messages
where carries = 'email'
group by all

union all
select 'message_data:' || carries || '.commerce', coalesce(json_keys(message, '$.commerce'), [])
from messages
where carries in ('in-app-message', 'in-web-message')
group by all

union all
select 'message_data:web-push-notification.service', coalesce(json_keys(message, pointer(getvariable('brand'))), [])
from messages
where carries = 'web-push-notification'
group by all

union all
select 'button', if(starts_with(document, '{'), json_keys(document), null)
from buttons
group by all

union all
select 'attachment', if(starts_with(document, '{'), json_keys(document), null)
from attachments
group by all;
