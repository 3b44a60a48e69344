create or replace temp table extras as
with found as (
    select 'record' as place, export_date, extra from events
    union all
    select 'message_data:text-message', export_date, extra from text_messages
    union all
    select 'attachment', export_date, extra from text_message_attachments
    union all
    select 'message_data:email', export_date, extra from sent_emails
    union all
    select 'message_data:chatapp-friendtalk', export_date, extra from friendtalk_messages
    union all
    select 'message_data:chatapp-alimtalk', export_date, extra from alimtalk_messages
    union all
    select 'message_data:chatapp-brand-message', export_date, extra from brand_messages
    union all
    select 'message_data:in-app-message', export_date, extra from in_app_messages
    union all
    select 'message_data:in-web-message', export_date, extra from in_web_messages
    union all
    select 'message_data:push-notification', export_date, extra from sent_push_messages
    union all
    select 'message_data:web-push-notification', export_date, extra from web_push_messages
    union all
    select 'message_data:webhook', export_date, extra from webhook_messages
    union all
    select 'button', export_date, extra from message_buttons
)

select place, export_date as date, extra
from found
where export_date = getvariable('first_day') and extra is not null;

insert into ops.drift_by_day by name
-- Channels that the specification does not know.
select
    'events' as stream,
    export_date as date,
    'channel' as place,
    coalesce(channel, 'none') as field,
    if(channel is null, 'missing', 'unknown') as kind,
    'VARCHAR' as example_type,
    count(*) as records
from events
where
    export_date = getvariable('first_day')
    and (channel is null or 'message_data:' || channel not in (select place from fields))
group by all

union all
-- Messages that are no object: kept in other_messages.
select 'events', export_date, 'record', 'message_data', 'type', min(json_type(message_data)), count(*)
from other_messages
where export_date = getvariable('first_day') and 'message_data:' || channel in (select place from fields)
group by export_date

union all
select 'events', export_date, 'record', field, 'missing', null, count(*)
from (
    select
        export_date,
        unnest(
            if(event_id is null, ['id'], [])
            || if(event_name is null, ['event_name'], [])
            || if(occurred_at is null, ['time'], [])
        ) as field,
        extra
    from events
    where
        export_date = getvariable('first_day')
        and (event_id is null or event_name is null or occurred_at is null)
) as required
where json_extract(extra, pointer(field)) is null
group by export_date, field;
