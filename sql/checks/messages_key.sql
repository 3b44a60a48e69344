-- severity: stop
-- stream: events
-- Every message belongs to an event, and stands there once. Looked at on the days that were loaded last.

with latest as (
    select date
    from ops.coverage
    where stream = 'events'
    order by loaded_at desc, date desc
    limit 7
),

messages as (
    select 'text_messages' as subject, event_id, 1 as position, export_date from text_messages
    union all
    select 'emails', event_id, 1, export_date from sent_emails
    union all
    select 'friendtalk_messages', event_id, 1, export_date from friendtalk_messages
    union all
    select 'alimtalk_messages', event_id, 1, export_date from alimtalk_messages
    union all
    select 'brand_messages', event_id, 1, export_date from brand_messages
    union all
    select 'in_app_messages', event_id, 1, export_date from in_app_messages
    union all
    select 'in_web_messages', event_id, 1, export_date from in_web_messages
    union all
    select 'push_messages', event_id, 1, export_date from sent_push_messages
    union all
    select 'web_push_messages', event_id, 1, export_date from web_push_messages
    union all
    select 'webhook_messages', event_id, 1, export_date from webhook_messages
    union all
    select 'other_messages', event_id, 1, export_date from other_messages
    union all
    select 'message_buttons', event_id, position, export_date from message_buttons
    union all
    select 'text_message_attachments', event_id, position, export_date from text_message_attachments
),

looked_at as (
    select *
    from messages
    where event_id is not null and export_date in (select date from latest)
)

select
    export_date as date,
    subject,
    'Messages belong to no event.' as finding,
    '0' as expected,
    count(*) as actual
from looked_at
anti join events on looked_at.event_id = events.event_id
group by export_date, subject

union all
select export_date, subject, 'Messages stand there more than once.', '0', count(*)
from (
    select subject, export_date
    from looked_at
    group by subject, event_id, position, export_date
    having count(*) > 1
) as repeated
group by export_date, subject;
