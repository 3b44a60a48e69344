-- Contents as they are kept, each once, and the messages that point at them.

update given_contents
set content_id = content_id(title, body, html);

create or replace table contents as
select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
from given_contents
where content_id is not null
group by content_id;

create or replace table told_messages as
select
    given_messages.table_name,
    given_messages.event_id,
    given_messages.date,
    given_messages.export_date,
    if(subjects.line is null, given_messages.subject, subjects.hidden_line) as subject,
    if(links.line is null, given_messages.link, links.hidden_line) as link,
    given_contents.content_id,
    given_messages.extra
from given_messages
left join given_contents on given_messages.given_id = given_contents.given_id
left join given_lines as subjects on given_messages.subject = subjects.line
left join given_lines as links on given_messages.link = links.line;

drop table given_messages;
drop table given_contents;
