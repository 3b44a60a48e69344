insert into sent_push_messages by name
select event_id, date, export_date, link, content_id, extra
from told_messages
where table_name = 'sent_push_messages';
