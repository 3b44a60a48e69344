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

create or replace table given_messages as
select 'sent_emails' as table_name, *, content_id(title, body, html) as given_id
from read_emails
union all
select 'sent_push_messages', *, content_id(title, body, html)
from read_push_messages;

-- What is personal is judged once for each content, not for each message. Contents that differ only in that may be one.
create or replace table given_contents as
select given_id, any_value(title) as title, any_value(body) as body, any_value(html) as html, null::varchar as content_id
from given_messages
where given_id is not null
group by given_id;

-- Subjects and links are short, and many.
create or replace table given_lines as
select distinct line, line as hidden_line
from (
    select subject as line from given_messages
    union all
    select link from given_messages
) as lines
where may_be_personal(line);
