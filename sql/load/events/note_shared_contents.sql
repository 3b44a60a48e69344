-- And those of rows that it took twice, of which one will stay.

insert into loose_contents
select content_id
from sent_emails
where export_date = getvariable('first_day') and event_id in (select event_id from shared_ids)
union
select content_id
from sent_push_messages
where export_date = getvariable('first_day') and event_id in (select event_id from shared_ids);
