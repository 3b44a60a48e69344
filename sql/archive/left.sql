-- Contents that no message has any more go with the last one that had them.

delete from message_contents
where
    content_id in (select content_id from leaving_contents)
    and content_id not in (
        select content_id from sent_emails where content_id is not null
        union all
        select content_id from sent_push_messages where content_id is not null
    );

select leaving_days.date::varchar as date, archived_days.rows
from leaving_days
inner join ops.archived_days using (date)
order by leaving_days.date;
