-- A batch to the tables, within the load's transaction.

insert into events by name
select * exclude (rest, is_candidate, carries, message, message_extra)
from {batch}.staged;

insert into text_messages by name
with read as (
    select *, json_transform(message, shape('message_data:text-message')) as m
    from {batch}.staged
    where carries = 'text-message'
)

select
    event_id,
    date,
    export_date,
    m."requestId" as request_id,
    korean_time(m."requestDate") as request_date,
    m."templateId" as template_id,
    m.title,
    m.body,
    m."sendNo" as send_no,
    recipient(m."recipientNo") as recipient_no,
    m."messageType" as message_type,
    m."countryCode" as country_code,
    m."adYn" as ad_yn,
    message_extra as extra
from read;

insert into friendtalk_messages by name
with read as (
    select *, json_transform(message, shape('message_data:chatapp-friendtalk')) as m
    from {batch}.staged
    where carries = 'chatapp-friendtalk'
)

select
    event_id,
    date,
    export_date,
    m."plusFriendId" as plus_friend_id,
    m."senderKey" as sender_key,
    recipient(m."recipientNo") as recipient_no,
    m.content,
    m."isAd"::boolean as is_ad,
    message_extra as extra
from read;

insert into alimtalk_messages by name
with read as (
    select *, json_transform(message, shape('message_data:chatapp-alimtalk')) as m
    from {batch}.staged
    where carries = 'chatapp-alimtalk'
)

select
    event_id,
    date,
    export_date,
    m."plusFriendId" as plus_friend_id,
    m."senderKey" as sender_key,
    recipient(m."recipientNo") as recipient_no,
    m."templateCode" as template_code,
    m.content,
    -- Not specified further: a text stays a text, anything else is kept as JSON.
    m."templateExtra" ->> '$' as template_extra,
    message_extra as extra
from read;

insert into brand_messages by name
with read as (
    select *, json_transform(message, shape('message_data:chatapp-brand-message')) as m
    from {batch}.staged
    where carries = 'chatapp-brand-message'
)

select
    event_id,
    date,
    export_date,
    m."templateName" as template_name,
    message_extra as extra
from read;

insert into in_app_messages by name
with read as (
    select *, json_transform(message, shape('message_data:in-app-message')) as m
    from {batch}.staged
    where carries = 'in-app-message'
),

offers as (
    select *, json_transform(m.commerce, shape('message_data:in-app-message.commerce')) as commerce
    from read
)

select
    event_id,
    date,
    export_date,
    m."messageType" as message_type,
    m."chatBubbleType" as chat_bubble_type,
    m.title,
    m.content,
    m."imageUrl" as image_url,
    m.header,
    commerce.title as commerce_title,
    number(commerce."regularPrice") as commerce_regular_price,
    number(commerce."discountPrice") as commerce_discount_price,
    number(commerce."discountRate") as commerce_discount_rate,
    m.attachment,
    message_extra as extra
from offers;

insert into in_web_messages by name
with read as (
    select *, json_transform(message, shape('message_data:in-web-message')) as m
    from {batch}.staged
    where carries = 'in-web-message'
),

offers as (
    select *, json_transform(m.commerce, shape('message_data:in-web-message.commerce')) as commerce
    from read
)

select
    event_id,
    date,
    export_date,
    m."messageType" as message_type,
    m."chatBubbleType" as chat_bubble_type,
    m.title,
    m.content,
    m."imageUrl" as image_url,
    m.header,
    commerce.title as commerce_title,
    number(commerce."regularPrice") as commerce_regular_price,
    number(commerce."discountPrice") as commerce_discount_price,
    number(commerce."discountRate") as commerce_discount_rate,
    m.attachment,
    message_extra as extra
from offers;

-- The message lies in an object that has the name of the brand.

insert into web_push_messages by name
with read as (
    select
        *,
        json_transform(
            json_extract(message, pointer(getvariable('brand'))),
            shape('message_data:web-push-notification.service')
        ) as m
    from {batch}.staged
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

insert into webhook_messages by name
with read as (
    select *, json_transform(message, shape('message_data:webhook')) as m
    from {batch}.staged
    where carries = 'webhook'
)

select
    event_id,
    date,
    export_date,
    m.url,
    m.method,
    m.headers,
    m.data,
    message_extra as extra
from read;

insert into message_buttons by name
select
    event_id,
    date,
    export_date,
    position,
    try_cast(whole(m.ordering) as integer) as ordering,
    m.type,
    m.name,
    m."linkMo" as link_mo,
    m."linkPc" as link_pc,
    m."schemeIos" as scheme_ios,
    m."schemeAndroid" as scheme_android,
    extra
from (select *, json_transform(document, shape('button')) as m from {batch}.buttons) as read;

insert into text_message_attachments by name
select
    event_id,
    date,
    export_date,
    position,
    m."fileId" as file_id,
    m."fileName" as file_name,
    m."filePath" as file_path,
    m."saveFileName" as save_file_name,
    m."uploadType" as upload_type,
    extra
from (select *, json_transform(document, shape('attachment')) as m from {batch}.attachments) as read;

insert into sent_emails by name
select event_id, date, export_date, subject as title, content_id, extra
from {batch}.told_messages
where table_name = 'sent_emails';

insert into sent_push_messages by name
select event_id, date, export_date, link, content_id, extra
from {batch}.told_messages
where table_name = 'sent_push_messages';

-- Contents that no message had before.
insert into message_contents by name
select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
from {batch}.told_messages
anti join message_contents using (content_id)
where content_id is not null
group by content_id;

-- Unknown channels, and messages that are no object.
insert into other_messages by name
select event_id, date, export_date, channel, message as message_data
from {batch}.staged
where carries = 'other';
