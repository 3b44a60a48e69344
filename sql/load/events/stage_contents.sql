-- Messages whose texts many receive, with the id of their content, and each content once.

create or replace temp view read_emails as
with read as (
    select *, json_transform(message, shape('message_data:email')) as m
    from staged
    where carries = 'email'
),

-- The body comes as an object, or as flat keys `body.html` and `body.text`.
bodies as (
    select *, json_transform(m.body, shape('message_data:email.body')) as given_body
    from read
)

select
    event_id,
    date,
    export_date,
    m.title as subject,
    null::varchar as link,
    null::varchar as title,
    coalesce(given_body.text, m."body.text") as body,
    coalesce(given_body.html, m."body.html") as html,
    message_extra as extra
from bodies;

create or replace temp view read_push_messages as
with read as (
    select *, json_transform(message, shape('message_data:push-notification')) as m
    from staged
    where carries = 'push-notification'
)

select
    event_id,
    date,
    export_date,
    null::varchar as subject,
    m.link,
    m.title,
    m.body,
    null::varchar as html,
    message_extra as extra
from read;

create or replace table told_messages as
select 'sent_emails' as table_name, *, content_id(title, body, html) as content_id
from read_emails
union all
select 'sent_push_messages', *, content_id(title, body, html)
from read_push_messages;

create or replace table contents as
select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
from told_messages
where content_id is not null
group by content_id;

alter table told_messages drop column title;
alter table told_messages drop column body;
alter table told_messages drop column html;
