-- The messages as their tables take them, and whether each holds something that its table cannot take.

create or replace table text_messages as
with read as (
    select *, json_transform(message, shape('message_data:text-message')) as m
    from messages
    where carries = 'text-message'
)

select
    records,
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
    extra,
    holds_nested(
        message,
        'message_data:text-message',
        concat_ws(
            chr(31),
            '',
            m."requestId",
            m."requestDate",
            m."templateId",
            m.title,
            m.body,
            m."sendNo",
            m."recipientNo",
            m."messageType",
            m."countryCode",
            m."adYn"
        )
    )
    or is_unreadable(m."requestDate", request_date)
    or is_no_list(m."attachFileList") as nonconforming
from read;

create or replace table friendtalk_messages as
with read as (
    select *, json_transform(message, shape('message_data:chatapp-friendtalk')) as m
    from messages
    where carries = 'chatapp-friendtalk'
)

select
    records,
    m."plusFriendId" as plus_friend_id,
    m."senderKey" as sender_key,
    recipient(m."recipientNo") as recipient_no,
    m.content,
    try_cast(m."isAd" as boolean) as is_ad,
    extra,
    holds_nested(
        message,
        'message_data:chatapp-friendtalk',
        concat_ws(chr(31), '', m."plusFriendId", m."senderKey", m."recipientNo", m.content, m."isAd")
    )
    or is_unreadable(m."isAd", is_ad)
    or is_no_list(m.buttons) as nonconforming
from read;

create or replace table alimtalk_messages as
with read as (
    select *, json_transform(message, shape('message_data:chatapp-alimtalk')) as m
    from messages
    where carries = 'chatapp-alimtalk'
)

select
    records,
    m."plusFriendId" as plus_friend_id,
    m."senderKey" as sender_key,
    recipient(m."recipientNo") as recipient_no,
    m."templateCode" as template_code,
    m.content,
    -- Not specified further: a text stays a text, anything else is kept as JSON.
    m."templateExtra" ->> '$' as template_extra,
    extra,
    holds_nested(
        message,
        'message_data:chatapp-alimtalk',
        concat_ws(chr(31), '', m."plusFriendId", m."senderKey", m."recipientNo", m."templateCode", m.content)
    )
    or is_no_list(m.buttons) as nonconforming
from read;

create or replace table brand_messages as
with read as (
    select *, json_transform(message, shape('message_data:chatapp-brand-message')) as m
    from messages
    where carries = 'chatapp-brand-message'
)

select
    records,
    m."templateName" as template_name,
    extra,
    holds_nested(
        message, 'message_data:chatapp-brand-message', concat_ws(chr(31), '', m."templateName")
    ) as nonconforming
from read;

-- In-app and in-web messages look the same.
create or replace table shown_messages as
with read as (
    select *, json_transform(message, shape('message_data:in-app-message')) as m
    from messages
    where carries in ('in-app-message', 'in-web-message')
),

offers as (
    select *, json_transform(m.commerce, shape('message_data:in-app-message.commerce')) as commerce
    from read
)

select
    carries,
    records,
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
    extra,
    holds_nested(
        message,
        'message_data:in-app-message',
        concat_ws(
            chr(31),
            '',
            m."messageType",
            m."chatBubbleType",
            m.title,
            m.content,
            m."imageUrl",
            m.header
        )
    )
    or is_no_list(m.buttons)
    or is_no_object(m.commerce)
    or holds_nested(
        m.commerce,
        'message_data:in-app-message.commerce',
        concat_ws(
            chr(31), '', commerce.title, commerce."regularPrice", commerce."discountPrice", commerce."discountRate"
        )
    )
    or is_unreadable(commerce."regularPrice", commerce_regular_price)
    or is_unreadable(commerce."discountPrice", commerce_discount_price)
    or is_unreadable(commerce."discountRate", commerce_discount_rate) as nonconforming
from offers;

-- The message lies in an object that has the name of the brand.

create or replace table web_push_messages as
with read as (
    select *, json_extract(message, pointer(getvariable('brand'))) as given
    from messages
    where carries = 'web-push-notification'
),

unwrapped_ones as (
    select *, json_transform(given, shape('message_data:web-push-notification.service')) as m
    from read
)

select
    records,
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
    extra,
    is_no_object(given)
    or holds_nested(
        given,
        'message_data:web-push-notification.service',
        concat_ws(chr(31), '', m.ti, m.bd, m.cid, m.mid, m.u, m.ic, m.bg, m.im)
    ) as nonconforming
from unwrapped_ones;

create or replace table webhook_messages as
with read as (
    select *, json_transform(message, shape('message_data:webhook')) as m
    from messages
    where carries = 'webhook'
)

select
    records,
    m.url,
    m.method,
    m.headers,
    m.data,
    extra,
    holds_nested(message, 'message_data:webhook', concat_ws(chr(31), '', m.url, m.method)) as nonconforming
from read;

-- Messages whose texts many receive, with the id of their content.

create or replace table sent_emails as
with read as (
    select *, json_transform(message, shape('message_data:email')) as m
    from messages
    where carries = 'email'
),

-- The body comes as an object, or as flat keys `body.html` and `body.text`.
bodies as (
    select *, json_transform(m.body, shape('message_data:email.body')) as given_body
    from read
),

told as (
    select
        *,
        coalesce(given_body.text, m."body.text") as body,
        coalesce(given_body.html, m."body.html") as html
    from bodies
)

select
    records,
    m.title,
    body,
    html,
    content_id(null, body, html) as content_id,
    extra,
    holds_nested(
        message, 'message_data:email', concat_ws(chr(31), '', m.title, m."body.html", m."body.text")
    )
    or is_no_object(m.body)
    or holds_nested(
        m.body, 'message_data:email.body', concat_ws(chr(31), '', given_body.html, given_body.text)
    ) as nonconforming
from told;

create or replace table sent_push_messages as
with read as (
    select *, json_transform(message, shape('message_data:push-notification')) as m
    from messages
    where carries = 'push-notification'
)

select
    records,
    m.link,
    m.title,
    m.body,
    content_id(m.title, m.body, null) as content_id,
    extra,
    holds_nested(
        message, 'message_data:push-notification', concat_ws(chr(31), '', m.title, m.body, m.link)
    ) as nonconforming
from read;

create or replace table message_buttons as
select
    records,
    position,
    try_cast(whole(m.ordering) as integer) as ordering,
    m.type,
    m.name,
    m."linkMo" as link_mo,
    m."linkPc" as link_pc,
    m."schemeIos" as scheme_ios,
    m."schemeAndroid" as scheme_android,
    extra,
    holds_nested(
        document,
        'button',
        concat_ws(
            chr(31),
            '',
            m.type,
            m.name,
            m."linkMo",
            m."linkPc",
            m."schemeIos",
            m."schemeAndroid",
            m.ordering
        )
    )
    or is_unreadable(m.ordering, whole(m.ordering)) as nonconforming
from (select *, json_transform(document, shape('button')) as m from buttons) as read;

create or replace table text_message_attachments as
select
    records,
    position,
    m."fileId" as file_id,
    m."fileName" as file_name,
    m."filePath" as file_path,
    m."saveFileName" as save_file_name,
    m."uploadType" as upload_type,
    extra,
    holds_nested(
        document,
        'attachment',
        concat_ws(chr(31), '', m."fileId", m."fileName", m."filePath", m."saveFileName", m."uploadType")
    ) as nonconforming
from (select *, json_transform(document, shape('attachment')) as m from attachments) as read;

-- Unknown channels, and messages that are no object.
create or replace table other_messages as
select records, channel, message as message_data
from messages
where carries = 'other';

-- The places in which something is of another kind than the specification says.
select distinct place
from (
    select 'message_data:text-message' as place, nonconforming from text_messages
    union all
    select 'message_data:chatapp-friendtalk', nonconforming from friendtalk_messages
    union all
    select 'message_data:chatapp-alimtalk', nonconforming from alimtalk_messages
    union all
    select 'message_data:chatapp-brand-message', nonconforming from brand_messages
    union all
    select 'message_data:' || carries, nonconforming from shown_messages
    union all
    select 'message_data:web-push-notification', nonconforming from web_push_messages
    union all
    select 'message_data:webhook', nonconforming from webhook_messages
    union all
    select 'message_data:email', nonconforming from sent_emails
    union all
    select 'message_data:push-notification', nonconforming from sent_push_messages
    union all
    select 'button', nonconforming from message_buttons
    union all
    select 'attachment', nonconforming from text_message_attachments
) as looked_at
where nonconforming;
