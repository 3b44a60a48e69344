insert into alimtalk_messages by name
with read as (
    select *, json_transform(message, shape('message_data:chatapp-alimtalk')) as m
    from staged
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
