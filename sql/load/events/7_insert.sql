-- A batch to the tables, within the load's transaction.

insert into events by name
select * exclude (rest, is_candidate, carries, message, message_extra)
from {batch}.staged;

insert into text_messages by name
select * exclude (nonconforming) from {batch}.text_messages;

insert into text_message_attachments by name
select * exclude (nonconforming) from {batch}.text_message_attachments;

insert into friendtalk_messages by name
select * exclude (nonconforming) from {batch}.friendtalk_messages;

insert into alimtalk_messages by name
select * exclude (nonconforming) from {batch}.alimtalk_messages;

insert into brand_messages by name
select * exclude (nonconforming) from {batch}.brand_messages;

insert into in_app_messages by name
select * exclude (carries, nonconforming) from {batch}.shown_messages where carries = 'in-app-message';

insert into in_web_messages by name
select * exclude (carries, nonconforming) from {batch}.shown_messages where carries = 'in-web-message';

insert into web_push_messages by name
select * exclude (nonconforming) from {batch}.web_push_messages;

insert into webhook_messages by name
select * exclude (nonconforming) from {batch}.webhook_messages;

insert into message_buttons by name
select * exclude (nonconforming) from {batch}.message_buttons;

insert into sent_emails by name
select event_id, date, export_date, title, content_id, extra
from {batch}.sent_emails;

insert into sent_push_messages by name
select event_id, date, export_date, link, content_id, extra
from {batch}.sent_push_messages;

-- Contents that no message had before.
insert into message_contents by name
with contents as (
    select content_id, null as title, body, html from {batch}.sent_emails
    union all
    select content_id, title, body, null from {batch}.sent_push_messages
)

select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
from contents
anti join message_contents using (content_id)
where content_id is not null
group by content_id;

-- Unknown channels, and messages that are no object.
insert into other_messages by name
select event_id, date, export_date, channel, message as message_data
from {batch}.staged
where carries = 'other';
