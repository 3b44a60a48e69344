-- A batch to the tables, within the load's transaction.

insert into events by name
from read_parquet(getvariable('batch') || '/events.parquet');

insert into text_messages by name
from read_parquet(getvariable('batch') || '/text_messages.parquet');

insert into text_message_attachments by name
from read_parquet(getvariable('batch') || '/text_message_attachments.parquet');

insert into friendtalk_messages by name
from read_parquet(getvariable('batch') || '/friendtalk_messages.parquet');

insert into alimtalk_messages by name
from read_parquet(getvariable('batch') || '/alimtalk_messages.parquet');

insert into brand_messages by name
from read_parquet(getvariable('batch') || '/brand_messages.parquet');

insert into in_app_messages by name
from read_parquet(getvariable('batch') || '/in_app_messages.parquet');

insert into in_web_messages by name
from read_parquet(getvariable('batch') || '/in_web_messages.parquet');

insert into web_push_messages by name
from read_parquet(getvariable('batch') || '/web_push_messages.parquet');

insert into webhook_messages by name
from read_parquet(getvariable('batch') || '/webhook_messages.parquet');

insert into message_buttons by name
from read_parquet(getvariable('batch') || '/message_buttons.parquet');

insert into sent_emails by name
from read_parquet(getvariable('batch') || '/sent_emails.parquet');

insert into sent_push_messages by name
from read_parquet(getvariable('batch') || '/sent_push_messages.parquet');

insert into other_messages by name
from read_parquet(getvariable('batch') || '/other_messages.parquet');

-- Contents that no message had before.
insert into message_contents by name
from read_parquet(getvariable('batch') || '/message_contents.parquet') as contents
anti join message_contents using (content_id);
