-- The message lies in an object that has the name of the brand.

insert into web_push_messages by name
with read as (
    select
        *,
        json_transform(
            struct_extract(
                json_transform(message, shape('message_data:web-push-notification')), getvariable('brand')
            ),
            shape('message_data:web-push-notification.service')
        ) as m
    from staged
    where carries = 'web-push-notification'
)

select
    event_id,
    date,
    export_date,
    m.ti,
    m.bd,
    m.cid,
    m.mid,
    m.u,
    m.ic,
    m.bg,
    m.im,
    m.sd ->> '$' as sd,
    m.tg ->> '$' as tg,
    m.vb ->> '$' as vb,
    m.ri ->> '$' as ri,
    m.data,
    m.ac,
    message_extra as extra
from read;
