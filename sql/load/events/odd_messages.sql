create or replace temp table odd as
with judged as (
    select
        rowid as row_id,
        'message_data:' || carries as place,
        message::json as document,
        case carries
            when 'push-notification' then is_odd(message, 'message_data:push-notification')
            when 'chatapp-alimtalk' then is_odd(message, 'message_data:chatapp-alimtalk')
            when 'chatapp-friendtalk'
            then
                is_odd(message, 'message_data:chatapp-friendtalk')
                or not fits('boolean', message -> 'isAd')
            when 'chatapp-brand-message' then is_odd(message, 'message_data:chatapp-brand-message')
            when 'text-message'
            then
                is_odd(message, 'message_data:text-message')
                or (
                    try_cast(message ->> 'requestDate' as timestamp) is null
                    and not fits('time', message -> 'requestDate')
                )
            when 'email'
            then
                is_odd(message, 'message_data:email')
                or not list_has_all(['html', 'text'], json_keys(message, '/body'))
                or list_has_any(json_type(message, ['/body/html', '/body/text']), ['OBJECT', 'ARRAY'])
            when 'in-app-message'
            then
                is_odd(message, 'message_data:in-app-message')
                or is_odd(message -> 'commerce', 'message_data:in-app-message.commerce')
                or not fits('number', message -> '$.commerce.regularPrice')
                or not fits('number', message -> '$.commerce.discountPrice')
                or not fits('number', message -> '$.commerce.discountRate')
            when 'in-web-message'
            then
                is_odd(message, 'message_data:in-web-message')
                or is_odd(message -> 'commerce', 'message_data:in-web-message.commerce')
                or not fits('number', message -> '$.commerce.regularPrice')
                or not fits('number', message -> '$.commerce.discountPrice')
                or not fits('number', message -> '$.commerce.discountRate')
            when 'web-push-notification'
            then
                is_odd(message, 'message_data:web-push-notification')
                or is_odd(message -> getvariable('brand'), 'message_data:web-push-notification.service')
            when 'webhook' then is_odd(message, 'message_data:webhook')
        end as odd
    from staged
    where carries <> 'other'
)

select row_id, place, document
from judged
-- What cannot be judged, such as a body that is null, is not odd.
where odd;
