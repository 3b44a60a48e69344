-- Contents that this load may leave without a message: those of rows that it replaces.

create or replace temp table loose_contents as
select content_id from sent_emails where export_date = getvariable('first_day')
union
select content_id from sent_push_messages where export_date = getvariable('first_day')
union
select content ->> 'content_id'
from ops.set_aside
where
    export_date = getvariable('first_day')
    and table_name in ('sent_emails', 'sent_push_messages');
