-- grain: one message of the exports with message_data.
-- lake: none
--
-- The text that the recipient got, with the privacy settings applied. marts.messages joins it with the send.

with texts as (
    select 'text' as shape, event_id, date, title, body as text, template_id as template, message_type, upper(ad_yn) = 'Y' as is_ad, recipient_no
    from text_messages
    union all by name
    select 'email' as shape, event_id, date, title, coalesce(body_text, body_html) as text
    from emails
    union all by name
    select 'friendtalk' as shape, event_id, date, content as text, is_ad, recipient_no
    from friendtalk_messages
    union all by name
    select 'alimtalk' as shape, event_id, date, content as text, template_code as template, recipient_no
    from alimtalk_messages
    union all by name
    select 'brand' as shape, event_id, date, template_name as template
    from brand_messages
    union all by name
    select 'in-app' as shape, event_id, date, coalesce(title, commerce_title) as title, coalesce(content, header) as text
    from in_app_messages
    union all by name
    select 'in-web' as shape, event_id, date, coalesce(title, commerce_title) as title, coalesce(content, header) as text
    from in_web_messages
    union all by name
    select 'push' as shape, event_id, date, title, body as text
    from push_messages
    union all by name
    select 'web-push' as shape, event_id, date, ti as title, bd as text
    from web_push_messages
)

select *
from texts
anti join ops.excluded_events as excluded on texts.event_id = excluded.event_id;
