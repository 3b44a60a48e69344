insert into push_messages by name
with read as (
    select *, json_transform(message, shape('message_data:push-notification')) as m
    from staged
    where carries = 'push-notification'
)

select
    event_id,
    date,
    export_date,
    m.title,
    m.body,
    m.link,
    message_extra as extra
from read;
