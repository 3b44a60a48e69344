insert into brand_messages by name
with read as (
    select *, json_transform(message, shape('message_data:chatapp-brand-message')) as m
    from staged
    where carries = 'chatapp-brand-message'
)

select
    event_id,
    date,
    export_date,
    m."templateName" as template_name,
    message_extra as extra
from read;
