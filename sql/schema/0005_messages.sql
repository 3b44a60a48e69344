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
comment on table text_messages is 'Text messages (text-message): one row per event that carried one.';
comment on column text_messages.event_id is 'Id of the event; joins events.';
comment on column text_messages.date is 'KST day of the event.';
comment on column text_messages.export_date is 'KST day of the export that the row came with.';
comment on column text_messages.request_id is 'requestId.';
comment on column text_messages.request_date is 'requestDate; it names no zone, KST is assumed.';
comment on column text_messages.template_id is 'templateId.';
comment on column text_messages.title is 'Title (LMS and MMS).';
comment on column text_messages.body is 'Text of the message.';
comment on column text_messages.send_no is 'Number of the sender.';
comment on column text_messages.recipient_no is 'Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.';
comment on column text_messages.message_type is 'messageType, such as SMS, LMS or MMS.';
comment on column text_messages.country_code is 'countryCode.';
comment on column text_messages.ad_yn is 'Y for advertising, N otherwise.';
comment on column text_messages.extra is 'Keys outside the specification, and values that did not fit, as given.';

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
comment on table text_message_attachments is 'Attachments of text messages (attachFileList): one row per file.';
comment on column text_message_attachments.event_id is 'Id of the event; joins events.';
comment on column text_message_attachments.date is 'KST day of the event.';
comment on column text_message_attachments.export_date is 'KST day of the export that the row came with.';
comment on column text_message_attachments.position is 'Place in the list, from 1.';
comment on column text_message_attachments.file_id is 'fileId.';
comment on column text_message_attachments.file_name is 'fileName.';
comment on column text_message_attachments.file_path is 'filePath.';
comment on column text_message_attachments.save_file_name is 'saveFileName.';
comment on column text_message_attachments.upload_type is 'uploadType.';
comment on column text_message_attachments.extra is 'Keys outside the specification, and values that did not fit, as given.';

create table emails (
    event_id varchar,
    date date,
    export_date date,
    title varchar,
    body_html varchar,
    body_text varchar,
    extra json
);
comment on table emails is 'E-mails (email): one row per event that carried one.';
comment on column emails.event_id is 'Id of the event; joins events.';
comment on column emails.date is 'KST day of the event.';
comment on column emails.export_date is 'KST day of the export that the row came with.';
comment on column emails.title is 'Subject.';
comment on column emails.body_html is 'HTML body.';
comment on column emails.body_text is 'Plain text body.';
comment on column emails.extra is 'Keys outside the specification, and values that did not fit, as given.';

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
comment on table friendtalk_messages is 'Friendtalk messages (chatapp-friendtalk): one row per event that carried one.';
comment on column friendtalk_messages.event_id is 'Id of the event; joins events.';
comment on column friendtalk_messages.date is 'KST day of the event.';
comment on column friendtalk_messages.export_date is 'KST day of the export that the row came with.';
comment on column friendtalk_messages.plus_friend_id is 'plusFriendId, the channel of the sender.';
comment on column friendtalk_messages.sender_key is 'senderKey.';
comment on column friendtalk_messages.recipient_no is 'Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.';
comment on column friendtalk_messages.content is 'Text of the message.';
comment on column friendtalk_messages.is_ad is 'Whether it is advertising.';
comment on column friendtalk_messages.extra is 'Keys outside the specification, and values that did not fit, as given.';

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
comment on table alimtalk_messages is 'Alimtalk messages (chatapp-alimtalk): one row per event that carried one.';
comment on column alimtalk_messages.event_id is 'Id of the event; joins events.';
comment on column alimtalk_messages.date is 'KST day of the event.';
comment on column alimtalk_messages.export_date is 'KST day of the export that the row came with.';
comment on column alimtalk_messages.plus_friend_id is 'plusFriendId, the channel of the sender.';
comment on column alimtalk_messages.sender_key is 'senderKey.';
comment on column alimtalk_messages.recipient_no is 'Number of the recipient: as given, hashed (HMAC-SHA-256) or null, by the setting privacy.recipients.';
comment on column alimtalk_messages.template_code is 'templateCode.';
comment on column alimtalk_messages.content is 'Text of the message.';
comment on column alimtalk_messages.template_extra is 'templateExtra.';
comment on column alimtalk_messages.extra is 'Keys outside the specification, and values that did not fit, as given.';

create table brand_messages (
    event_id varchar,
    date date,
    export_date date,
    template_name varchar,
    extra json
);
comment on table brand_messages is 'Brand messages (chatapp-brand-message): one row per event that carried one.';
comment on column brand_messages.event_id is 'Id of the event; joins events.';
comment on column brand_messages.date is 'KST day of the event.';
comment on column brand_messages.export_date is 'KST day of the export that the row came with.';
comment on column brand_messages.template_name is 'templateName.';
comment on column brand_messages.extra is 'Keys outside the specification, and values that did not fit, as given.';

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
comment on table in_app_messages is 'In-app messages (in-app-message): one row per event that carried one.';
comment on column in_app_messages.event_id is 'Id of the event; joins events.';
comment on column in_app_messages.date is 'KST day of the event.';
comment on column in_app_messages.export_date is 'KST day of the export that the row came with.';
comment on column in_app_messages.message_type is 'messageType, such as COMMERCE.';
comment on column in_app_messages.chat_bubble_type is 'chatBubbleType, such as WIDE_ITEM_LIST.';
comment on column in_app_messages.title is 'Title.';
comment on column in_app_messages.content is 'Text of the message.';
comment on column in_app_messages.image_url is 'imageUrl.';
comment on column in_app_messages.header is 'Header.';
comment on column in_app_messages.commerce_title is 'commerce.title.';
comment on column in_app_messages.commerce_regular_price is 'commerce.regularPrice.';
comment on column in_app_messages.commerce_discount_price is 'commerce.discountPrice.';
comment on column in_app_messages.commerce_discount_rate is 'commerce.discountRate.';
comment on column in_app_messages.attachment is 'attachment, as given.';
comment on column in_app_messages.extra is 'Keys outside the specification, and values that did not fit, as given.';

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
comment on table in_web_messages is 'In-web messages (in-web-message): one row per event that carried one.';
comment on column in_web_messages.event_id is 'Id of the event; joins events.';
comment on column in_web_messages.date is 'KST day of the event.';
comment on column in_web_messages.export_date is 'KST day of the export that the row came with.';
comment on column in_web_messages.message_type is 'messageType, such as COMMERCE.';
comment on column in_web_messages.chat_bubble_type is 'chatBubbleType, such as WIDE_ITEM_LIST.';
comment on column in_web_messages.title is 'Title.';
comment on column in_web_messages.content is 'Text of the message.';
comment on column in_web_messages.image_url is 'imageUrl.';
comment on column in_web_messages.header is 'Header.';
comment on column in_web_messages.commerce_title is 'commerce.title.';
comment on column in_web_messages.commerce_regular_price is 'commerce.regularPrice.';
comment on column in_web_messages.commerce_discount_price is 'commerce.discountPrice.';
comment on column in_web_messages.commerce_discount_rate is 'commerce.discountRate.';
comment on column in_web_messages.attachment is 'attachment, as given.';
comment on column in_web_messages.extra is 'Keys outside the specification, and values that did not fit, as given.';

create table push_messages (
    event_id varchar,
    date date,
    export_date date,
    title varchar,
    body varchar,
    link varchar,
    extra json
);
comment on table push_messages is 'Push notifications (push-notification): one row per event that carried one.';
comment on column push_messages.event_id is 'Id of the event; joins events.';
comment on column push_messages.date is 'KST day of the event.';
comment on column push_messages.export_date is 'KST day of the export that the row came with.';
comment on column push_messages.title is 'Title.';
comment on column push_messages.body is 'Text.';
comment on column push_messages.link is 'Link that a tap opens.';
comment on column push_messages.extra is 'Keys outside the specification, and values that did not fit, as given.';

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
comment on table web_push_messages is 'Web push notifications (web-push-notification): one row per event that carried one. The service shortens the keys and does not explain them.';
comment on column web_push_messages.event_id is 'Id of the event; joins events.';
comment on column web_push_messages.date is 'KST day of the event.';
comment on column web_push_messages.export_date is 'KST day of the export that the row came with.';
comment on column web_push_messages.ti is 'ti: the title.';
comment on column web_push_messages.bd is 'bd: the body.';
comment on column web_push_messages.cid is 'cid, as given.';
comment on column web_push_messages.mid is 'mid, as given.';
comment on column web_push_messages.u is 'u: the address that a click opens.';
comment on column web_push_messages.ic is 'ic: the icon.';
comment on column web_push_messages.bg is 'bg, as given.';
comment on column web_push_messages.im is 'im: the image.';
comment on column web_push_messages.sd is 'sd, as given.';
comment on column web_push_messages.tg is 'tg, as given.';
comment on column web_push_messages.vb is 'vb, as given.';
comment on column web_push_messages.ri is 'ri, as given.';
comment on column web_push_messages.data is 'data, as given.';
comment on column web_push_messages.ac is 'ac: the actions, as given.';
comment on column web_push_messages.extra is 'Keys outside the specification, and values that did not fit, as given.';

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
comment on table webhook_messages is 'Webhook calls (webhook): one row per event that carried one.';
comment on column webhook_messages.event_id is 'Id of the event; joins events.';
comment on column webhook_messages.date is 'KST day of the event.';
comment on column webhook_messages.export_date is 'KST day of the export that the row came with.';
comment on column webhook_messages.url is 'Address that was called.';
comment on column webhook_messages.method is 'HTTP method.';
comment on column webhook_messages.headers is 'Headers, as given.';
comment on column webhook_messages.data is 'Body, as given.';
comment on column webhook_messages.extra is 'Keys outside the specification, and values that did not fit, as given.';

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
comment on table message_buttons is 'Buttons of friendtalk, alimtalk, in-app and in-web messages: one row per button.';
comment on column message_buttons.event_id is 'Id of the event; joins events.';
comment on column message_buttons.date is 'KST day of the event.';
comment on column message_buttons.export_date is 'KST day of the export that the row came with.';
comment on column message_buttons.position is 'Place in the list, from 1.';
comment on column message_buttons.ordering is 'ordering, as given.';
comment on column message_buttons.type is 'Type, such as WL.';
comment on column message_buttons.name is 'Label.';
comment on column message_buttons.link_mo is 'linkMo: link on mobile.';
comment on column message_buttons.link_pc is 'linkPc: link on a computer.';
comment on column message_buttons.scheme_ios is 'schemeIos.';
comment on column message_buttons.scheme_android is 'schemeAndroid.';
comment on column message_buttons.extra is 'Keys outside the specification, and values that did not fit, as given.';

create table other_messages (
    event_id varchar,
    date date,
    export_date date,
    channel varchar,
    message_data json
);
comment on table other_messages is 'Messages of channels that the specification does not know, and message_data of no known form: one row per event.';
comment on column other_messages.event_id is 'Id of the event; joins events.';
comment on column other_messages.date is 'KST day of the event.';
comment on column other_messages.export_date is 'KST day of the export that the row came with.';
comment on column other_messages.channel is 'Neutral channel name with hyphens.';
comment on column other_messages.message_data is 'The message, as given; a recipient number by the setting privacy.recipients.';
