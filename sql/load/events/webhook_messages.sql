insert into webhook_messages by name
with read as (
    select *, json_transform(message, shape('message_data:webhook')) as m
    from staged
    where carries = 'webhook'
)

select
    event_id,
    date,
    export_date,
    m.url,
    m.method,
    m.headers,
    m.data,
    message_extra as extra
from read;
