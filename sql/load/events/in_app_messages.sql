insert into in_app_messages by name
with read as (
    select *, json_transform(message, shape('message_data:in-app-message')) as m
    from staged
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
