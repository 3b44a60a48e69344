insert into friendtalk_messages by name
with read as (
    select *, json_transform(message, shape('message_data:chatapp-friendtalk')) as m
    from staged
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
