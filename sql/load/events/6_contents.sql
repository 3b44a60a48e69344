-- Messages whose texts many receive, with the id of their content.

create or replace table told_messages as
with emails as (
    select
        event_id,
        date,
        export_date,
        json_transform(message, shape('message_data:email')) as m,
        message_extra as extra
    from staged
    where carries = 'email'
),

-- The body comes as an object, or as flat keys `body.html` and `body.text`.
bodies as (
    select *, json_transform(m.body, shape('message_data:email.body')) as given_body
    from emails
),

pushes as (
    select
        event_id,
        date,
        export_date,
        json_transform(message, shape('message_data:push-notification')) as m,
        message_extra as extra
    from staged
    where carries = 'push-notification'
),

told as (
    select
        'sent_emails' as table_name,
        event_id,
        date,
        export_date,
        m.title as subject,
        null::varchar as link,
        null::varchar as title,
        coalesce(given_body.text, m."body.text") as body,
        coalesce(given_body.html, m."body.html") as html,
        extra
    from bodies

    union all
    select 'sent_push_messages', event_id, date, export_date, null, m.link, m.title, m.body, null, extra
    from pushes
)

select *, content_id(title, body, html) as content_id
from told;
