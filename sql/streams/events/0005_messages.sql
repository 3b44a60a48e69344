-- The messages in export records (message_data of E21), one table for each shape. A row belongs to the event with its event_id;
-- columns are the keys of the service in snake_case.

create table text_messages (
    event_id varchar,
    date date,
    export_date date,
    request_id varchar,
    request_date timestamp,
    template_id varchar,
    title varchar,
    body varchar,
    send_no varchar,
    recipient_no varchar,
    message_type varchar,
    country_code varchar,
    ad_yn varchar,
    extra json
);

create table text_message_attachments (
    event_id varchar,
    date date,
    export_date date,
    position integer,
    file_id varchar,
    file_name varchar,
    file_path varchar,
    save_file_name varchar,
    upload_type varchar,
    extra json
);

-- Grain: the e-mail of one event. The title is stored here, because it often names the recipient and the body does not.
create table sent_emails (
    event_id varchar,
    date date,
    export_date date,
    title varchar,
    content_id varchar,
    extra json
);

create table friendtalk_messages (
    event_id varchar,
    date date,
    export_date date,
    plus_friend_id varchar,
    sender_key varchar,
    recipient_no varchar,
    content varchar,
    is_ad boolean,
    extra json
);

create table alimtalk_messages (
    event_id varchar,
    date date,
    export_date date,
    plus_friend_id varchar,
    sender_key varchar,
    recipient_no varchar,
    template_code varchar,
    content varchar,
    template_extra varchar,
    extra json
);

create table brand_messages (
    event_id varchar,
    date date,
    export_date date,
    template_name varchar,
    extra json
);

create table in_app_messages (
    event_id varchar,
    date date,
    export_date date,
    message_type varchar,
    chat_bubble_type varchar,
    title varchar,
    content varchar,
    image_url varchar,
    header varchar,
    commerce_title varchar,
    commerce_regular_price decimal(18, 4),
    commerce_discount_price decimal(18, 4),
    commerce_discount_rate decimal(18, 4),
    attachment json,
    extra json
);

create table in_web_messages as
from in_app_messages
with no data;

-- Grain: the push message of one event. The link is stored here, because it often differs by recipient.
create table sent_push_messages (
    event_id varchar,
    date date,
    export_date date,
    link varchar,
    content_id varchar,
    extra json
);

create table web_push_messages (
    event_id varchar,
    date date,
    export_date date,
    ti varchar,
    bd varchar,
    cid varchar,
    mid varchar,
    u varchar,
    ic varchar,
    bg varchar,
    im varchar,
    sd varchar,
    tg varchar,
    vb varchar,
    ri varchar,
    data json,
    ac json,
    extra json
);

create table webhook_messages (
    event_id varchar,
    date date,
    export_date date,
    url varchar,
    method varchar,
    headers json,
    data json,
    extra json
);

create table message_buttons (
    event_id varchar,
    date date,
    export_date date,
    position integer,
    ordering integer,
    type varchar,
    name varchar,
    link_mo varchar,
    link_pc varchar,
    scheme_ios varchar,
    scheme_android varchar,
    extra json
);

create table other_messages (
    event_id varchar,
    date date,
    export_date date,
    channel varchar,
    message_data json
);

-- The texts of push messages and e-mails are sent to many people and stored once, by their hash. The views `emails` and
-- `push_messages` join them with the sent messages.

-- Grain: one content; contents are equal if all of their texts are.
create table message_contents (
    content_id varchar,
    title varchar,
    body varchar,
    html varchar
);

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
