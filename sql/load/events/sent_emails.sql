insert into sent_emails by name
select event_id, date, export_date, subject as title, content_id, extra
from told_messages
where table_name = 'sent_emails';
