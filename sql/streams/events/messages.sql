-- The statements about the tables of messages. Written by scripts/messages.js from the list of fields: change that.

-- name: fill
-- The messages of a batch in the columns of their tables, and the elements of their lists in a row each. Each row also lists the
-- records that carry the message. What no column takes of an odd document is its `extra`.
create or replace table attachments as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position
from (
    select records, (message -> '$.attachFileList[*]') as given
    from messages
    where carries in ('text-message')
) as lists;
create or replace table buttons as
select
    * exclude (given),
    unnest(given) as document,
    generate_subscripts(given, 1)::integer as position
from (
    select records, (message -> '$.buttons[*]') || (message -> '$.attachment.buttons[*]') as given
    from messages
    where carries in ('chatapp-friendtalk', 'chatapp-alimtalk', 'in-app-message', 'in-web-message')
) as lists;


create or replace table text_messages as
with given as (
    select records, message as document, json_transform(message, '{"requestId":"VARCHAR","templateId":"VARCHAR","title":"VARCHAR","body":"VARCHAR","sendNo":"VARCHAR","messageType":"VARCHAR","countryCode":"VARCHAR","adYn":"VARCHAR","recipientNo":"VARCHAR","attachFileList":"JSON","requestDate":"VARCHAR"}') as m
    from messages
    where carries = 'text-message'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['requestId', 'templateId', 'title', 'body', 'sendNo', 'messageType', 'countryCode', 'adYn', 'recipientNo', 'attachFileList', 'requestDate'], ['/requestId', '/templateId', '/title', '/body', '/sendNo', '/messageType', '/countryCode', '/adYn', '/recipientNo', '/requestDate']::varchar[])
                or is_no_list(m."attachFileList")
                or is_unreadable(m."requestDate", korean_time(m."requestDate"))
            then _judged(document::varchar, 'message_data:text-message', treatment())
        end as odd
    from given
),

divided as (
    select * replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"requestId":"VARCHAR","templateId":"VARCHAR","title":"VARCHAR","body":"VARCHAR","sendNo":"VARCHAR","messageType":"VARCHAR","countryCode":"VARCHAR","adYn":"VARCHAR","recipientNo":"VARCHAR","attachFileList":"JSON","requestDate":"VARCHAR"}'), m) as m)
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
    _recipient(m."recipientNo", treatment()) as recipient_no,
    korean_time(m."requestDate") as request_date,
    extra_of(odd) as extra
from divided;

create or replace table sent_emails as
with given as (
    select records, message as document, json_transform(message, '{"title":"VARCHAR","body.html":"VARCHAR","body.text":"VARCHAR","body":"JSON"}') as m
    from messages
    where carries = 'email'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['title', 'body.html', 'body.text', 'body'], ['/title', '/body.html', '/body.text']::varchar[])
                or is_odd_part(m."body", ['html', 'text'], ['/html', '/text']::varchar[])
            then _judged(document::varchar, 'message_data:email', treatment())
        end as odd
    from (select *, json_transform(m."body", '{"html":"VARCHAR","text":"VARCHAR"}') as part from given)
),

divided as (
    select * exclude (part) replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"title":"VARCHAR","body.html":"VARCHAR","body.text":"VARCHAR","body":"JSON"}'), m) as m)
    from judged
)

select
    records,
    coalesce(part."html", m."body.html") as body_html,
    coalesce(part."text", m."body.text") as body_text,
    m."title" as title,
    content_id(null, body_text, body_html) as content_id,
    extra_of(odd) as extra
from (select *, json_transform(m."body", '{"html":"VARCHAR","text":"VARCHAR"}') as part from divided);

create or replace table friendtalk_messages as
with given as (
    select records, message as document, json_transform(message, '{"plusFriendId":"VARCHAR","senderKey":"VARCHAR","content":"VARCHAR","recipientNo":"VARCHAR","buttons":"JSON","isAd":"VARCHAR"}') as m
    from messages
    where carries = 'chatapp-friendtalk'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['plusFriendId', 'senderKey', 'content', 'recipientNo', 'buttons', 'isAd'], ['/plusFriendId', '/senderKey', '/content', '/recipientNo']::varchar[])
                or is_no_list(m."buttons")
                or is_unreadable(m."isAd", try_cast(m."isAd" as boolean))
            then _judged(document::varchar, 'message_data:chatapp-friendtalk', treatment())
        end as odd
    from given
),

divided as (
    select * replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"plusFriendId":"VARCHAR","senderKey":"VARCHAR","content":"VARCHAR","recipientNo":"VARCHAR","buttons":"JSON","isAd":"VARCHAR"}'), m) as m)
    from judged
)

select
    records,
    m."plusFriendId" as plus_friend_id,
    m."senderKey" as sender_key,
    m."content" as content,
    _recipient(m."recipientNo", treatment()) as recipient_no,
    try_cast(m."isAd" as boolean) as is_ad,
    extra_of(odd) as extra
from divided;

create or replace table alimtalk_messages as
with given as (
    select records, message as document, json_transform(message, '{"plusFriendId":"VARCHAR","senderKey":"VARCHAR","templateCode":"VARCHAR","content":"VARCHAR","recipientNo":"VARCHAR","buttons":"JSON","templateExtra":"JSON"}') as m
    from messages
    where carries = 'chatapp-alimtalk'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['plusFriendId', 'senderKey', 'templateCode', 'content', 'recipientNo', 'buttons', 'templateExtra'], ['/plusFriendId', '/senderKey', '/templateCode', '/content', '/recipientNo']::varchar[])
                or is_no_list(m."buttons")
            then _judged(document::varchar, 'message_data:chatapp-alimtalk', treatment())
        end as odd
    from given
),

divided as (
    select * replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"plusFriendId":"VARCHAR","senderKey":"VARCHAR","templateCode":"VARCHAR","content":"VARCHAR","recipientNo":"VARCHAR","buttons":"JSON","templateExtra":"JSON"}'), m) as m)
    from judged
)

select
    records,
    m."plusFriendId" as plus_friend_id,
    m."senderKey" as sender_key,
    m."templateCode" as template_code,
    m."content" as content,
    _recipient(m."recipientNo", treatment()) as recipient_no,
    m."templateExtra" ->> '$' as template_extra,
    extra_of(odd) as extra
from divided;

create or replace table brand_messages as
with given as (
    select records, message as document, json_transform(message, '{"templateName":"VARCHAR"}') as m
    from messages
    where carries = 'chatapp-brand-message'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['templateName'], ['/templateName']::varchar[])
            then _judged(document::varchar, 'message_data:chatapp-brand-message', treatment())
        end as odd
    from given
),

divided as (
    select * replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"templateName":"VARCHAR"}'), m) as m)
    from judged
)

select
    records,
    m."templateName" as template_name,
    extra_of(odd) as extra
from divided;

create or replace table in_app_messages as
with given as (
    select records, message as document, json_transform(message, '{"messageType":"VARCHAR","chatBubbleType":"VARCHAR","title":"VARCHAR","content":"VARCHAR","imageUrl":"VARCHAR","header":"VARCHAR","buttons":"JSON","commerce":"JSON","attachment":"JSON"}') as m
    from messages
    where carries = 'in-app-message'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['messageType', 'chatBubbleType', 'title', 'content', 'imageUrl', 'header', 'buttons', 'commerce', 'attachment'], ['/messageType', '/chatBubbleType', '/title', '/content', '/imageUrl', '/header']::varchar[])
                or is_odd_part(m."commerce", ['title', 'regularPrice', 'discountPrice', 'discountRate'], ['/title']::varchar[])
                or loses_digits(part."regularPrice")
                or loses_digits(part."discountPrice")
                or loses_digits(part."discountRate")
                or is_no_list(m."buttons")
            then _judged(document::varchar, 'message_data:in-app-message', treatment())
        end as odd
    from (select *, json_transform(m."commerce", '{"title":"VARCHAR","regularPrice":"VARCHAR","discountPrice":"VARCHAR","discountRate":"VARCHAR"}') as part from given)
),

divided as (
    select * exclude (part) replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"messageType":"VARCHAR","chatBubbleType":"VARCHAR","title":"VARCHAR","content":"VARCHAR","imageUrl":"VARCHAR","header":"VARCHAR","buttons":"JSON","commerce":"JSON","attachment":"JSON"}'), m) as m)
    from judged
)

select
    records,
    part."title" as commerce_title,
    number(part."regularPrice") as commerce_regular_price,
    number(part."discountPrice") as commerce_discount_price,
    number(part."discountRate") as commerce_discount_rate,
    m."messageType" as message_type,
    m."chatBubbleType" as chat_bubble_type,
    m."title" as title,
    m."content" as content,
    m."imageUrl" as image_url,
    m."header" as header,
    m."attachment" as attachment,
    extra_of(odd) as extra
from (select *, json_transform(m."commerce", '{"title":"VARCHAR","regularPrice":"VARCHAR","discountPrice":"VARCHAR","discountRate":"VARCHAR"}') as part from divided);

create or replace table in_web_messages as
with given as (
    select records, message as document, json_transform(message, '{"messageType":"VARCHAR","chatBubbleType":"VARCHAR","title":"VARCHAR","content":"VARCHAR","imageUrl":"VARCHAR","header":"VARCHAR","buttons":"JSON","commerce":"JSON","attachment":"JSON"}') as m
    from messages
    where carries = 'in-web-message'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['messageType', 'chatBubbleType', 'title', 'content', 'imageUrl', 'header', 'buttons', 'commerce', 'attachment'], ['/messageType', '/chatBubbleType', '/title', '/content', '/imageUrl', '/header']::varchar[])
                or is_odd_part(m."commerce", ['title', 'regularPrice', 'discountPrice', 'discountRate'], ['/title']::varchar[])
                or loses_digits(part."regularPrice")
                or loses_digits(part."discountPrice")
                or loses_digits(part."discountRate")
                or is_no_list(m."buttons")
            then _judged(document::varchar, 'message_data:in-web-message', treatment())
        end as odd
    from (select *, json_transform(m."commerce", '{"title":"VARCHAR","regularPrice":"VARCHAR","discountPrice":"VARCHAR","discountRate":"VARCHAR"}') as part from given)
),

divided as (
    select * exclude (part) replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"messageType":"VARCHAR","chatBubbleType":"VARCHAR","title":"VARCHAR","content":"VARCHAR","imageUrl":"VARCHAR","header":"VARCHAR","buttons":"JSON","commerce":"JSON","attachment":"JSON"}'), m) as m)
    from judged
)

select
    records,
    part."title" as commerce_title,
    number(part."regularPrice") as commerce_regular_price,
    number(part."discountPrice") as commerce_discount_price,
    number(part."discountRate") as commerce_discount_rate,
    m."messageType" as message_type,
    m."chatBubbleType" as chat_bubble_type,
    m."title" as title,
    m."content" as content,
    m."imageUrl" as image_url,
    m."header" as header,
    m."attachment" as attachment,
    extra_of(odd) as extra
from (select *, json_transform(m."commerce", '{"title":"VARCHAR","regularPrice":"VARCHAR","discountPrice":"VARCHAR","discountRate":"VARCHAR"}') as part from divided);

create or replace table sent_push_messages as
with given as (
    select records, message as document, json_transform(message, '{"title":"VARCHAR","body":"VARCHAR","link":"VARCHAR"}') as m
    from messages
    where carries = 'push-notification'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['title', 'body', 'link'], ['/title', '/body', '/link']::varchar[])
            then _judged(document::varchar, 'message_data:push-notification', treatment())
        end as odd
    from given
),

divided as (
    select * replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"title":"VARCHAR","body":"VARCHAR","link":"VARCHAR"}'), m) as m)
    from judged
)

select
    records,
    m."title" as title,
    m."body" as body,
    m."link" as link,
    content_id(title, body, null) as content_id,
    extra_of(odd) as extra
from divided;

create or replace table web_push_messages as
with given as (
    select records, message as document, json_transform(message, '{"{brand}":"JSON"}') as m
    from messages
    where carries = 'web-push-notification'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['{brand}'], []::varchar[])
                or is_odd_part(m."{brand}", ['ti', 'bd', 'u', 'ic', 'bg', 'im', 'data', 'ac', 'cid', 'mid', 'sd', 'tg', 'vb', 'ri'], ['/ti', '/bd', '/u', '/ic', '/bg', '/im']::varchar[])
            then _judged(document::varchar, 'message_data:web-push-notification', treatment())
        end as odd
    from (select *, json_transform(m."{brand}", '{"ti":"VARCHAR","bd":"VARCHAR","u":"VARCHAR","ic":"VARCHAR","bg":"VARCHAR","im":"VARCHAR","data":"JSON","ac":"JSON","cid":"JSON","mid":"JSON","sd":"JSON","tg":"JSON","vb":"JSON","ri":"JSON"}') as part from given)
),

divided as (
    select * exclude (part) replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"{brand}":"JSON"}'), m) as m)
    from judged
)

select
    records,
    part."ti" as ti,
    part."bd" as bd,
    part."u" as u,
    part."ic" as ic,
    part."bg" as bg,
    part."im" as im,
    part."data" as data,
    part."ac" as ac,
    part."cid" ->> '$' as cid,
    part."mid" ->> '$' as mid,
    part."sd" ->> '$' as sd,
    part."tg" ->> '$' as tg,
    part."vb" ->> '$' as vb,
    part."ri" ->> '$' as ri,
    extra_of(odd) as extra
from (select *, json_transform(m."{brand}", '{"ti":"VARCHAR","bd":"VARCHAR","u":"VARCHAR","ic":"VARCHAR","bg":"VARCHAR","im":"VARCHAR","data":"JSON","ac":"JSON","cid":"JSON","mid":"JSON","sd":"JSON","tg":"JSON","vb":"JSON","ri":"JSON"}') as part from divided);

create or replace table webhook_messages as
with given as (
    select records, message as document, json_transform(message, '{"url":"VARCHAR","method":"VARCHAR","headers":"JSON","data":"JSON"}') as m
    from messages
    where carries = 'webhook'
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['url', 'method', 'headers', 'data'], ['/url', '/method']::varchar[])
            then _judged(document::varchar, 'message_data:webhook', treatment())
        end as odd
    from given
),

divided as (
    select * replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"url":"VARCHAR","method":"VARCHAR","headers":"JSON","data":"JSON"}'), m) as m)
    from judged
)

select
    records,
    m."url" as url,
    m."method" as method,
    m."headers" as headers,
    m."data" as data,
    extra_of(odd) as extra
from divided;

create or replace table text_message_attachments as
with given as (
    select records, position, document as document, json_transform(document, '{"fileName":"VARCHAR","filePath":"VARCHAR","saveFileName":"VARCHAR","uploadType":"VARCHAR","fileId":"JSON"}') as m
    from attachments
    where true
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['fileName', 'filePath', 'saveFileName', 'uploadType', 'fileId'], ['/fileName', '/filePath', '/saveFileName', '/uploadType']::varchar[])
            then _judged(document::varchar, 'attachment', treatment())
        end as odd
    from given
),

divided as (
    select * replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"fileName":"VARCHAR","filePath":"VARCHAR","saveFileName":"VARCHAR","uploadType":"VARCHAR","fileId":"JSON"}'), m) as m)
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
    extra_of(odd) as extra
from divided;

create or replace table message_buttons as
with given as (
    select records, position, document as document, json_transform(document, '{"type":"VARCHAR","name":"VARCHAR","linkMo":"VARCHAR","linkPc":"VARCHAR","schemeIos":"VARCHAR","schemeAndroid":"VARCHAR","ordering":"VARCHAR"}') as m
    from buttons
    where true
),

judged as (
    select
        *,
        case
            when
                is_odd(document, ['type', 'name', 'linkMo', 'linkPc', 'schemeIos', 'schemeAndroid', 'ordering'], ['/type', '/name', '/linkMo', '/linkPc', '/schemeIos', '/schemeAndroid']::varchar[])
                or is_unreadable(m."ordering", try_cast(whole(m."ordering") as integer))
            then _judged(document::varchar, 'button', treatment())
        end as odd
    from given
),

divided as (
    select * replace (if(json_exists(odd, '$.fitting'), json_transform(odd -> '$.fitting', '{"type":"VARCHAR","name":"VARCHAR","linkMo":"VARCHAR","linkPc":"VARCHAR","schemeIos":"VARCHAR","schemeAndroid":"VARCHAR","ordering":"VARCHAR"}'), m) as m)
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
    extra_of(odd) as extra
from divided;

-- name: hand_over
-- params: batch text
-- Writes a batch as temporary files with a row for each record, compressed fast; the load's transaction reads them. The tables are
-- dropped, because the next batch needs their memory.
copy (
    select * exclude (is_candidate, carries, message)
    from staged
) to ($batch || '/events.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- Each distinct content once.
copy (
    select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
    from (
select content_id, null as title, body_text as body, body_html as html from sent_emails
union all
select content_id, title as title, body as body, null as html from sent_push_messages
    ) as contents
    where content_id is not null
    group by content_id
) to ($batch || '/message_contents.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- Messages of unknown channels, and messages that are not an object.
create or replace table other_messages as
select records, channel, message as message_data
from messages
where carries = 'other';

drop table staged;
drop table messages;
drop table attachments;
drop table buttons;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from text_messages
) to ($batch || '/text_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table text_messages;
copy (
    select unnest(records, max_depth := 2), * exclude (records, body_text, body_html)
    from sent_emails
) to ($batch || '/sent_emails.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table sent_emails;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from friendtalk_messages
) to ($batch || '/friendtalk_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table friendtalk_messages;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from alimtalk_messages
) to ($batch || '/alimtalk_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table alimtalk_messages;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from brand_messages
) to ($batch || '/brand_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table brand_messages;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from in_app_messages
) to ($batch || '/in_app_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table in_app_messages;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from in_web_messages
) to ($batch || '/in_web_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table in_web_messages;
copy (
    select unnest(records, max_depth := 2), * exclude (records, title, body)
    from sent_push_messages
) to ($batch || '/sent_push_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table sent_push_messages;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from web_push_messages
) to ($batch || '/web_push_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table web_push_messages;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from webhook_messages
) to ($batch || '/webhook_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table webhook_messages;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from text_message_attachments
) to ($batch || '/text_message_attachments.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table text_message_attachments;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from message_buttons
) to ($batch || '/message_buttons.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table message_buttons;
copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from other_messages
) to ($batch || '/other_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table other_messages;

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
