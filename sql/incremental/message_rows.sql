-- Every row of a message table, by what tells it apart: several checks look at all of these tables.

create or replace temp view message_rows as
select 'text_messages' as subject, event_id, 1 as position, date, export_date from text_messages
union all
select 'emails', event_id, 1, date, export_date from sent_emails
union all
select 'friendtalk_messages', event_id, 1, date, export_date from friendtalk_messages
union all
select 'alimtalk_messages', event_id, 1, date, export_date from alimtalk_messages
union all
select 'brand_messages', event_id, 1, date, export_date from brand_messages
union all
select 'in_app_messages', event_id, 1, date, export_date from in_app_messages
union all
select 'in_web_messages', event_id, 1, date, export_date from in_web_messages
union all
select 'push_messages', event_id, 1, date, export_date from sent_push_messages
union all
select 'web_push_messages', event_id, 1, date, export_date from web_push_messages
union all
select 'webhook_messages', event_id, 1, date, export_date from webhook_messages
union all
select 'other_messages', event_id, 1, date, export_date from other_messages
union all
select 'message_buttons', event_id, position, date, export_date from message_buttons
union all
select 'text_message_attachments', event_id, position, date, export_date from text_message_attachments;
