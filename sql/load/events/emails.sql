-- The body comes as an object, or as flat keys `body.html` and `body.text`.

insert into emails by name
with read as (
    select *, json_transform(message, shape('message_data:email')) as m
    from staged
    where carries = 'email'
),

bodies as (
    select *, json_transform(m.body, shape('message_data:email.body')) as body
    from read
)

select
    event_id,
    date,
    export_date,
    m.title,
    coalesce(body.html, m."body.html") as body_html,
    coalesce(body.text, m."body.text") as body_text,
    message_extra as extra
from bodies;
