insert into text_messages by name
with read as (
    select *, json_transform(message, shape('message_data:text-message')) as m
    from staged
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
