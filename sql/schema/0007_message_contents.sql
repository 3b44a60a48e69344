-- What is sent to many is stored once: texts of push messages and e-mails, by a hash of them. Messages point at it; the
-- views have the names and columns that the tables had, and content_id.

-- Grain: one content, told apart by all of its texts together.
create table message_contents (
    content_id varchar,
    title varchar,
    body varchar,
    html varchar
);

-- Grain: the e-mail of one event. The title stays with it: it often names the recipient where the body does not.
create table sent_emails (
    event_id varchar,
    date date,
    export_date date,
    title varchar,
    content_id varchar,
    extra json
);

-- Grain: the push message of one event. The link stays with it: it often differs by recipient.
create table sent_push_messages (
    event_id varchar,
    date date,
    export_date date,
    link varchar,
    content_id varchar,
    extra json
);

-- The lengths keep apart what would read the same put together; load/events/content_id is this expression.
alter table emails add column content_id varchar;

update emails
set content_id = md5(
    concat_ws(
        ' ',
        '-',
        coalesce(strlen(body_text)::varchar, '-'),
        coalesce(strlen(body_html)::varchar, '-'),
        body_text,
        body_html
    )
)
where body_text is not null or body_html is not null;

alter table push_messages add column content_id varchar;

update push_messages
set content_id = md5(
    concat_ws(
        ' ', coalesce(strlen(title)::varchar, '-'), coalesce(strlen(body)::varchar, '-'), '-', title, body
    )
)
where title is not null or body is not null;

insert into message_contents by name
select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
from (
    select content_id, title, body, null as html from push_messages
    union all
    select content_id, null, body_text, body_html from emails
) as contents
where content_id is not null
group by content_id;

insert into sent_emails by name
select * exclude (body_html, body_text)
from emails;

insert into sent_push_messages by name
select * exclude (title, body)
from push_messages;

drop table emails;
drop table push_messages;

create view emails as
select
    sent_emails.event_id,
    sent_emails.date,
    sent_emails.export_date,
    sent_emails.title,
    message_contents.html as body_html,
    message_contents.body as body_text,
    sent_emails.extra,
    sent_emails.content_id
from sent_emails
left join message_contents on sent_emails.content_id = message_contents.content_id;

create view push_messages as
select
    sent_push_messages.event_id,
    sent_push_messages.date,
    sent_push_messages.export_date,
    message_contents.title,
    message_contents.body,
    sent_push_messages.link,
    sent_push_messages.extra,
    sent_push_messages.content_id
from sent_push_messages
left join message_contents on sent_push_messages.content_id = message_contents.content_id;


-- Rows that stand aside come back as they stand there, so they point at contents too.
create temp table aside as
with given as (
    select
        rowid as row_id,
        table_name,
        content,
        if(table_name = 'push_messages', content ->> 'title', null) as title,
        content ->> if(table_name = 'push_messages', 'body', 'body_text') as body,
        content ->> 'body_html' as html
    from ops.set_aside
    where table_name in ('emails', 'push_messages')
)

select
    *,
    if(
        coalesce(title, body, html) is null,
        null,
        md5(
            concat_ws(
                ' ',
                coalesce(strlen(title)::varchar, '-'),
                coalesce(strlen(body)::varchar, '-'),
                coalesce(strlen(html)::varchar, '-'),
                title,
                body,
                html
            )
        )
    ) as content_id
from given;

insert into message_contents by name
select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
from aside
where content_id is not null and content_id not in (select content_id from message_contents)
group by content_id;

update ops.set_aside
set
    table_name = 'sent_' || aside.table_name,
    content = if(
        aside.table_name = 'emails',
        json_object(
            'event_id', set_aside.event_id,
            'date', set_aside.date,
            'export_date', set_aside.export_date,
            'title', aside.content -> 'title',
            'content_id', aside.content_id,
            'extra', aside.content -> 'extra'
        ),
        json_object(
            'event_id', set_aside.event_id,
            'date', set_aside.date,
            'export_date', set_aside.export_date,
            'link', aside.content -> 'link',
            'content_id', aside.content_id,
            'extra', aside.content -> 'extra'
        )
    )
from aside
where set_aside.rowid = aside.row_id;

drop table aside;
