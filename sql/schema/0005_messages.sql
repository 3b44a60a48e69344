-- The messages that export records carry (message_data of E21), one table per shape.
-- A row belongs to the event_id that it was sent with; columns are the keys of the service in snake_case.

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

create table emails (
    event_id varchar,
    date date,
    export_date date,
    title varchar,
    body_html varchar,
    body_text varchar,
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

create table in_web_messages (
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

create table push_messages (
    event_id varchar,
    date date,
    export_date date,
    title varchar,
    body varchar,
    link varchar,
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
