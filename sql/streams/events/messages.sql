-- The statements about the tables of messages. Written by scripts/messages.js from the list of fields: change that.

-- name: begin
-- params: batch text
-- Writes the records of a batch, without their messages, as a temporary file, compressed fast, which the load's transaction reads. Returns
-- the tables that its messages belong to, each filled by the section of its name.
copy (
select * exclude (is_candidate, carries, message) from staged
) to ($batch || '/events.parquet') (format parquet, compression lz4_raw, parquet_version v2);

drop table staged;

select distinct name as "table"
from (values
    ('text-message', 'text_messages'),
    ('email', 'sent_emails'),
    ('chatapp-friendtalk', 'friendtalk_messages'),
    ('chatapp-alimtalk', 'alimtalk_messages'),
    ('chatapp-brand-message', 'brand_messages'),
    ('in-app-message', 'in_app_messages'),
    ('in-web-message', 'in_web_messages'),
    ('push-notification', 'sent_push_messages'),
    ('web-push-notification', 'web_push_messages'),
    ('webhook', 'webhook_messages'),
    ('text-message', 'text_message_attachments'),
    ('chatapp-friendtalk', 'message_buttons'),
    ('chatapp-alimtalk', 'message_buttons'),
    ('in-app-message', 'message_buttons'),
    ('in-web-message', 'message_buttons'),
    ('other', 'other_messages')
) as tables (carries, name)
semi join messages using (carries);

-- name: end
-- The next batch needs the memory.
drop table messages;

-- name: text_messages
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, message as document from messages where carries in ('text-message')
),

given as (
    select
        *,
        json_transform(document, '{"requestId":"VARCHAR","templateId":"VARCHAR","title":"VARCHAR","body":"VARCHAR","sendNo":"VARCHAR","messageType":"VARCHAR","countryCode":"VARCHAR","adYn":"VARCHAR","recipientNo":"VARCHAR","attachFileList":"JSON","requestDate":"VARCHAR"}') as m,
        json_keys(document, ['']) as keys,
        json_type(document, ['/requestId', '/templateId', '/title', '/body', '/sendNo', '/messageType', '/countryCode', '/adYn', '/recipientNo', '/requestDate']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['requestId', 'templateId', 'title', 'body', 'sendNo', 'messageType', 'countryCode', 'adYn', 'recipientNo', 'attachFileList', 'requestDate'])
                or holds_no_text(types)
                or is_no_list(m."attachFileList")
                or is_unreadable(m."requestDate", korean_time(m."requestDate"))
            then parts_of(_judged(document::varchar, 'message_data:text-message', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"requestId":"VARCHAR","templateId":"VARCHAR","title":"VARCHAR","body":"VARCHAR","sendNo":"VARCHAR","messageType":"VARCHAR","countryCode":"VARCHAR","adYn":"VARCHAR","recipientNo":"VARCHAR","attachFileList":"JSON","requestDate":"VARCHAR"}'), m) as m)
    from judged
)

select
    records,
    m."requestId" as request_id,
    m."templateId" as template_id,
    m."title" as title,
    m."body" as body,
    m."sendNo" as send_no,
    m."messageType" as message_type,
    m."countryCode" as country_code,
    m."adYn" as ad_yn,
    case when is_hashed(m."recipientNo") then m."recipientNo" else _recipient(m."recipientNo", treatment()) end as recipient_no,
    korean_time(m."requestDate") as request_date,
    odd.extra
from divided
) as filled
) to ($batch || '/text_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: sent_emails
-- params: batch text
create or replace table sent_emails as
with documents as (
    select records, message as document from messages where carries in ('email')
),

given as (
    select
        *,
        json_transform(document, '{"title":"VARCHAR","body.html":"VARCHAR","body.text":"VARCHAR","body":{"html":"VARCHAR","text":"VARCHAR"}}') as m,
        json_keys(document, ['', '/body']) as keys,
        json_type(document, ['/title', '/body.html', '/body.text', '/body/html', '/body/text']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['title', 'body.html', 'body.text', 'body'])
                or holds_no_text(types)
                or not has_usual_keys(keys[2], ['html', 'text'])
                or (m."body" is not null and len(keys[2]) = 0)
            then parts_of(_judged(document::varchar, 'message_data:email', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"title":"VARCHAR","body.html":"VARCHAR","body.text":"VARCHAR","body":{"html":"VARCHAR","text":"VARCHAR"}}'), m) as m)
    from judged
)

select
    records,
    coalesce(m."body"."html", m."body.html") as body_html,
    coalesce(m."body"."text", m."body.text") as body_text,
    m."title" as title,
    content_id(null, body_text, body_html) as content_id,
    odd.extra
from divided;

copy (
select unnest(records, max_depth := 2), * exclude (records, body_text, body_html) from sent_emails
) to ($batch || '/sent_emails.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- Each distinct content once.
copy (
select content_id, any_value(null) as title, any_value(body_text) as body, any_value(body_html) as html
from sent_emails
where content_id is not null
group by content_id
) to ($batch || '/sent_emails.contents.parquet') (format parquet, compression lz4_raw, parquet_version v2);

drop table sent_emails;

-- name: friendtalk_messages
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, message as document from messages where carries in ('chatapp-friendtalk')
),

given as (
    select
        *,
        json_transform(document, '{"plusFriendId":"VARCHAR","senderKey":"VARCHAR","content":"VARCHAR","recipientNo":"VARCHAR","buttons":"JSON","isAd":"VARCHAR"}') as m,
        json_keys(document, ['']) as keys,
        json_type(document, ['/plusFriendId', '/senderKey', '/content', '/recipientNo']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['plusFriendId', 'senderKey', 'content', 'recipientNo', 'buttons', 'isAd'])
                or holds_no_text(types)
                or is_no_list(m."buttons")
                or is_unreadable(m."isAd", try_cast(m."isAd" as boolean))
            then parts_of(_judged(document::varchar, 'message_data:chatapp-friendtalk', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"plusFriendId":"VARCHAR","senderKey":"VARCHAR","content":"VARCHAR","recipientNo":"VARCHAR","buttons":"JSON","isAd":"VARCHAR"}'), m) as m)
    from judged
)

select
    records,
    m."plusFriendId" as plus_friend_id,
    m."senderKey" as sender_key,
    m."content" as content,
    case when is_hashed(m."recipientNo") then m."recipientNo" else _recipient(m."recipientNo", treatment()) end as recipient_no,
    try_cast(m."isAd" as boolean) as is_ad,
    odd.extra
from divided
) as filled
) to ($batch || '/friendtalk_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: alimtalk_messages
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, message as document from messages where carries in ('chatapp-alimtalk')
),

given as (
    select
        *,
        json_transform(document, '{"plusFriendId":"VARCHAR","senderKey":"VARCHAR","templateCode":"VARCHAR","content":"VARCHAR","recipientNo":"VARCHAR","buttons":"JSON","templateExtra":"JSON"}') as m,
        json_keys(document, ['']) as keys,
        json_type(document, ['/plusFriendId', '/senderKey', '/templateCode', '/content', '/recipientNo']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['plusFriendId', 'senderKey', 'templateCode', 'content', 'recipientNo', 'buttons', 'templateExtra'])
                or holds_no_text(types)
                or is_no_list(m."buttons")
            then parts_of(_judged(document::varchar, 'message_data:chatapp-alimtalk', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"plusFriendId":"VARCHAR","senderKey":"VARCHAR","templateCode":"VARCHAR","content":"VARCHAR","recipientNo":"VARCHAR","buttons":"JSON","templateExtra":"JSON"}'), m) as m)
    from judged
)

select
    records,
    m."plusFriendId" as plus_friend_id,
    m."senderKey" as sender_key,
    m."templateCode" as template_code,
    m."content" as content,
    case when is_hashed(m."recipientNo") then m."recipientNo" else _recipient(m."recipientNo", treatment()) end as recipient_no,
    m."templateExtra" ->> '$' as template_extra,
    odd.extra
from divided
) as filled
) to ($batch || '/alimtalk_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: brand_messages
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, message as document from messages where carries in ('chatapp-brand-message')
),

given as (
    select
        *,
        json_transform(document, '{"templateName":"VARCHAR"}') as m,
        json_keys(document, ['']) as keys,
        json_type(document, ['/templateName']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['templateName'])
                or holds_no_text(types)
            then parts_of(_judged(document::varchar, 'message_data:chatapp-brand-message', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"templateName":"VARCHAR"}'), m) as m)
    from judged
)

select
    records,
    m."templateName" as template_name,
    odd.extra
from divided
) as filled
) to ($batch || '/brand_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: in_app_messages
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, message as document from messages where carries in ('in-app-message')
),

given as (
    select
        *,
        json_transform(document, '{"messageType":"VARCHAR","chatBubbleType":"VARCHAR","title":"VARCHAR","content":"VARCHAR","imageUrl":"VARCHAR","header":"VARCHAR","buttons":"JSON","commerce":{"title":"VARCHAR","regularPrice":"VARCHAR","discountPrice":"VARCHAR","discountRate":"VARCHAR"},"attachment":"JSON"}') as m,
        json_keys(document, ['', '/commerce']) as keys,
        json_type(document, ['/messageType', '/chatBubbleType', '/title', '/content', '/imageUrl', '/header', '/commerce/title']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['messageType', 'chatBubbleType', 'title', 'content', 'imageUrl', 'header', 'buttons', 'commerce', 'attachment'])
                or holds_no_text(types)
                or not has_usual_keys(keys[2], ['title', 'regularPrice', 'discountPrice', 'discountRate'])
                or (m."commerce" is not null and len(keys[2]) = 0)
                or loses_digits(m."commerce"."regularPrice")
                or loses_digits(m."commerce"."discountPrice")
                or loses_digits(m."commerce"."discountRate")
                or is_no_list(m."buttons")
            then parts_of(_judged(document::varchar, 'message_data:in-app-message', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"messageType":"VARCHAR","chatBubbleType":"VARCHAR","title":"VARCHAR","content":"VARCHAR","imageUrl":"VARCHAR","header":"VARCHAR","buttons":"JSON","commerce":{"title":"VARCHAR","regularPrice":"VARCHAR","discountPrice":"VARCHAR","discountRate":"VARCHAR"},"attachment":"JSON"}'), m) as m)
    from judged
)

select
    records,
    m."commerce"."title" as commerce_title,
    number(m."commerce"."regularPrice") as commerce_regular_price,
    number(m."commerce"."discountPrice") as commerce_discount_price,
    number(m."commerce"."discountRate") as commerce_discount_rate,
    m."messageType" as message_type,
    m."chatBubbleType" as chat_bubble_type,
    m."title" as title,
    m."content" as content,
    m."imageUrl" as image_url,
    m."header" as header,
    m."attachment" as attachment,
    odd.extra
from divided
) as filled
) to ($batch || '/in_app_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: in_web_messages
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, message as document from messages where carries in ('in-web-message')
),

given as (
    select
        *,
        json_transform(document, '{"messageType":"VARCHAR","chatBubbleType":"VARCHAR","title":"VARCHAR","content":"VARCHAR","imageUrl":"VARCHAR","header":"VARCHAR","buttons":"JSON","commerce":{"title":"VARCHAR","regularPrice":"VARCHAR","discountPrice":"VARCHAR","discountRate":"VARCHAR"},"attachment":"JSON"}') as m,
        json_keys(document, ['', '/commerce']) as keys,
        json_type(document, ['/messageType', '/chatBubbleType', '/title', '/content', '/imageUrl', '/header', '/commerce/title']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['messageType', 'chatBubbleType', 'title', 'content', 'imageUrl', 'header', 'buttons', 'commerce', 'attachment'])
                or holds_no_text(types)
                or not has_usual_keys(keys[2], ['title', 'regularPrice', 'discountPrice', 'discountRate'])
                or (m."commerce" is not null and len(keys[2]) = 0)
                or loses_digits(m."commerce"."regularPrice")
                or loses_digits(m."commerce"."discountPrice")
                or loses_digits(m."commerce"."discountRate")
                or is_no_list(m."buttons")
            then parts_of(_judged(document::varchar, 'message_data:in-web-message', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"messageType":"VARCHAR","chatBubbleType":"VARCHAR","title":"VARCHAR","content":"VARCHAR","imageUrl":"VARCHAR","header":"VARCHAR","buttons":"JSON","commerce":{"title":"VARCHAR","regularPrice":"VARCHAR","discountPrice":"VARCHAR","discountRate":"VARCHAR"},"attachment":"JSON"}'), m) as m)
    from judged
)

select
    records,
    m."commerce"."title" as commerce_title,
    number(m."commerce"."regularPrice") as commerce_regular_price,
    number(m."commerce"."discountPrice") as commerce_discount_price,
    number(m."commerce"."discountRate") as commerce_discount_rate,
    m."messageType" as message_type,
    m."chatBubbleType" as chat_bubble_type,
    m."title" as title,
    m."content" as content,
    m."imageUrl" as image_url,
    m."header" as header,
    m."attachment" as attachment,
    odd.extra
from divided
) as filled
) to ($batch || '/in_web_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: sent_push_messages
-- params: batch text
create or replace table sent_push_messages as
with documents as (
    select records, message as document from messages where carries in ('push-notification')
),

given as (
    select
        *,
        json_transform(document, '{"title":"VARCHAR","body":"VARCHAR","link":"VARCHAR"}') as m,
        json_keys(document, ['']) as keys,
        json_type(document, ['/title', '/body', '/link']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['title', 'body', 'link'])
                or holds_no_text(types)
            then parts_of(_judged(document::varchar, 'message_data:push-notification', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"title":"VARCHAR","body":"VARCHAR","link":"VARCHAR"}'), m) as m)
    from judged
)

select
    records,
    m."title" as title,
    m."body" as body,
    m."link" as link,
    content_id(title, body, null) as content_id,
    odd.extra
from divided;

copy (
select unnest(records, max_depth := 2), * exclude (records, title, body) from sent_push_messages
) to ($batch || '/sent_push_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- Each distinct content once.
copy (
select content_id, any_value(title) as title, any_value(body) as body, any_value(null) as html
from sent_push_messages
where content_id is not null
group by content_id
) to ($batch || '/sent_push_messages.contents.parquet') (format parquet, compression lz4_raw, parquet_version v2);

drop table sent_push_messages;

-- name: web_push_messages
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, message as document from messages where carries in ('web-push-notification')
),

given as (
    select
        *,
        json_transform(document, '{"{brand}":{"ti":"VARCHAR","bd":"VARCHAR","u":"VARCHAR","ic":"VARCHAR","bg":"VARCHAR","im":"VARCHAR","data":"JSON","ac":"JSON","cid":"JSON","mid":"JSON","sd":"JSON","tg":"JSON","vb":"JSON","ri":"JSON"}}') as m,
        json_keys(document, ['', '/{brand}']) as keys,
        json_type(document, ['/{brand}/ti', '/{brand}/bd', '/{brand}/u', '/{brand}/ic', '/{brand}/bg', '/{brand}/im']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['{brand}'])
                or holds_no_text(types)
                or not has_usual_keys(keys[2], ['ti', 'bd', 'u', 'ic', 'bg', 'im', 'data', 'ac', 'cid', 'mid', 'sd', 'tg', 'vb', 'ri'])
                or (m."{brand}" is not null and len(keys[2]) = 0)
            then parts_of(_judged(document::varchar, 'message_data:web-push-notification', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"{brand}":{"ti":"VARCHAR","bd":"VARCHAR","u":"VARCHAR","ic":"VARCHAR","bg":"VARCHAR","im":"VARCHAR","data":"JSON","ac":"JSON","cid":"JSON","mid":"JSON","sd":"JSON","tg":"JSON","vb":"JSON","ri":"JSON"}}'), m) as m)
    from judged
)

select
    records,
    m."{brand}"."ti" as ti,
    m."{brand}"."bd" as bd,
    m."{brand}"."u" as u,
    m."{brand}"."ic" as ic,
    m."{brand}"."bg" as bg,
    m."{brand}"."im" as im,
    m."{brand}"."data" as data,
    m."{brand}"."ac" as ac,
    m."{brand}"."cid" ->> '$' as cid,
    m."{brand}"."mid" ->> '$' as mid,
    m."{brand}"."sd" ->> '$' as sd,
    m."{brand}"."tg" ->> '$' as tg,
    m."{brand}"."vb" ->> '$' as vb,
    m."{brand}"."ri" ->> '$' as ri,
    odd.extra
from divided
) as filled
) to ($batch || '/web_push_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: webhook_messages
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, message as document from messages where carries in ('webhook')
),

given as (
    select
        *,
        json_transform(document, '{"url":"VARCHAR","method":"VARCHAR","headers":"JSON","data":"JSON"}') as m,
        json_keys(document, ['']) as keys,
        json_type(document, ['/url', '/method']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['url', 'method', 'headers', 'data'])
                or holds_no_text(types)
            then parts_of(_judged(document::varchar, 'message_data:webhook', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"url":"VARCHAR","method":"VARCHAR","headers":"JSON","data":"JSON"}'), m) as m)
    from judged
)

select
    records,
    m."url" as url,
    m."method" as method,
    m."headers" as headers,
    m."data" as data,
    odd.extra
from divided
) as filled
) to ($batch || '/webhook_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: text_message_attachments
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, unnest(given) as document, generate_subscripts(given, 1)::integer as position
    from (
        select records, (message -> '$.attachFileList[*]') as given
        from messages
        where carries in ('text-message')
    ) as lists
),

given as (
    select
        *,
        json_transform(document, '{"fileName":"VARCHAR","filePath":"VARCHAR","saveFileName":"VARCHAR","uploadType":"VARCHAR","fileId":"JSON"}') as m,
        json_keys(document, ['']) as keys,
        json_type(document, ['/fileName', '/filePath', '/saveFileName', '/uploadType']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['fileName', 'filePath', 'saveFileName', 'uploadType', 'fileId'])
                or holds_no_text(types)
            then parts_of(_judged(document::varchar, 'attachment', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"fileName":"VARCHAR","filePath":"VARCHAR","saveFileName":"VARCHAR","uploadType":"VARCHAR","fileId":"JSON"}'), m) as m)
    from judged
)

select
    records,
    position,
    m."fileName" as file_name,
    m."filePath" as file_path,
    m."saveFileName" as save_file_name,
    m."uploadType" as upload_type,
    m."fileId" ->> '$' as file_id,
    odd.extra
from divided
) as filled
) to ($batch || '/text_message_attachments.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: message_buttons
-- params: batch text
copy (
select unnest(records, max_depth := 2), * exclude (records) from (
with documents as (
    select records, unnest(given) as document, generate_subscripts(given, 1)::integer as position
    from (
        select records, (message -> '$.buttons[*]') || (message -> '$.attachment.buttons[*]') as given
        from messages
        where carries in ('chatapp-friendtalk', 'chatapp-alimtalk', 'in-app-message', 'in-web-message')
    ) as lists
),

given as (
    select
        *,
        json_transform(document, '{"type":"VARCHAR","name":"VARCHAR","linkMo":"VARCHAR","linkPc":"VARCHAR","schemeIos":"VARCHAR","schemeAndroid":"VARCHAR","ordering":"VARCHAR"}') as m,
        json_keys(document, ['']) as keys,
        json_type(document, ['/type', '/name', '/linkMo', '/linkPc', '/schemeIos', '/schemeAndroid']) as types
    from documents
),

judged as (
    select
        *,
        case
            when
                not starts_with(document, '{')
                or not has_usual_keys(keys[1], ['type', 'name', 'linkMo', 'linkPc', 'schemeIos', 'schemeAndroid', 'ordering'])
                or holds_no_text(types)
                or is_unreadable(m."ordering", try_cast(whole(m."ordering") as integer))
            then parts_of(_judged(document::varchar, 'button', treatment()))
        end as odd
    from given
),

divided as (
    select * replace (coalesce(json_transform(odd.fitting, '{"type":"VARCHAR","name":"VARCHAR","linkMo":"VARCHAR","linkPc":"VARCHAR","schemeIos":"VARCHAR","schemeAndroid":"VARCHAR","ordering":"VARCHAR"}'), m) as m)
    from judged
)

select
    records,
    position,
    m."type" as type,
    m."name" as name,
    m."linkMo" as link_mo,
    m."linkPc" as link_pc,
    m."schemeIos" as scheme_ios,
    m."schemeAndroid" as scheme_android,
    try_cast(whole(m."ordering") as integer) as ordering,
    odd.extra
from divided
) as filled
) to ($batch || '/message_buttons.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: other_messages
-- params: batch text
-- Messages of unknown channels, and messages that are not an object.
copy (
select unnest(records, max_depth := 2), channel, message as message_data from messages where carries = 'other'
) to ($batch || '/other_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- name: extras
-- What no column took, of every message table, with the place that it belongs to.
create or replace temp view message_extras as
select 'message_data:text-message' as place, export_date, extra from text_messages
union all
select 'message_data:email' as place, export_date, extra from sent_emails
union all
select 'message_data:chatapp-friendtalk' as place, export_date, extra from friendtalk_messages
union all
select 'message_data:chatapp-alimtalk' as place, export_date, extra from alimtalk_messages
union all
select 'message_data:chatapp-brand-message' as place, export_date, extra from brand_messages
union all
select 'message_data:in-app-message' as place, export_date, extra from in_app_messages
union all
select 'message_data:in-web-message' as place, export_date, extra from in_web_messages
union all
select 'message_data:push-notification' as place, export_date, extra from sent_push_messages
union all
select 'message_data:web-push-notification' as place, export_date, extra from web_push_messages
union all
select 'message_data:webhook' as place, export_date, extra from webhook_messages
union all
select 'attachment' as place, export_date, extra from text_message_attachments
union all
select 'button' as place, export_date, extra from message_buttons;

-- name: rows
-- Every row of every message table by its key, under the name that readers use: `emails` for `sent_emails`.
create or replace temp view message_rows as
select 'text_messages' as subject, event_id, 1 as position, date, export_date from text_messages
union all
select 'emails' as subject, event_id, 1 as position, date, export_date from sent_emails
union all
select 'friendtalk_messages' as subject, event_id, 1 as position, date, export_date from friendtalk_messages
union all
select 'alimtalk_messages' as subject, event_id, 1 as position, date, export_date from alimtalk_messages
union all
select 'brand_messages' as subject, event_id, 1 as position, date, export_date from brand_messages
union all
select 'in_app_messages' as subject, event_id, 1 as position, date, export_date from in_app_messages
union all
select 'in_web_messages' as subject, event_id, 1 as position, date, export_date from in_web_messages
union all
select 'push_messages' as subject, event_id, 1 as position, date, export_date from sent_push_messages
union all
select 'web_push_messages' as subject, event_id, 1 as position, date, export_date from web_push_messages
union all
select 'webhook_messages' as subject, event_id, 1 as position, date, export_date from webhook_messages
union all
select 'other_messages' as subject, event_id, 1 as position, date, export_date from other_messages
union all
select 'text_message_attachments' as subject, event_id, position, date, export_date from text_message_attachments
union all
select 'message_buttons' as subject, event_id, position, date, export_date from message_buttons;
