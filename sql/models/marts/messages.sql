-- grain: one message of the exports: sent, failed, or shown in the app or on the web.
--
-- The text is the one that the recipient got, under the settings of privacy. A message of an export without message_data has none.
-- Filter by date first.

with texts as (
    select event_id, date, title, body as text, template_id as template, message_type, upper(ad_yn) = 'Y' as is_ad, recipient_no
    from text_messages
    union all by name
    select event_id, date, title, coalesce(body_text, body_html) as text
    from emails
    union all by name
    select event_id, date, content as text, is_ad, recipient_no
    from friendtalk_messages
    union all by name
    select event_id, date, content as text, template_code as template, recipient_no
    from alimtalk_messages
    union all by name
    select event_id, date, template_name as template
    from brand_messages
    union all by name
    select event_id, date, coalesce(title, commerce_title) as title, coalesce(content, header) as text
    from in_app_messages
    union all by name
    select event_id, date, coalesce(title, commerce_title) as title, coalesce(content, header) as text
    from in_web_messages
    union all by name
    select event_id, date, title, body as text
    from push_messages
    union all by name
    select event_id, date, ti as title, bd as text
    from web_push_messages
),
sends as (
    select *
    from marts.event_people
    where kind = 'failed' or if(marts.is_display(channel), kind = 'delivered', kind = 'succeeded')
    qualify event_id is null or row_number() over (partition by date, event_id order by occurred_at, event_name) = 1
)
select
    sends.date,
    sends.occurred_at as sent_at,
    sends.channel,
    if(sends.kind = 'delivered', 'shown', sends.kind) as outcome,
    sends.resource_type,
    coalesce(sends.campaign_id, sends.user_journey_id) as resource_id,
    resources.resource_name,
    sends.experiment_group_name as variant_name,
    sends.user_journey_node_id,
    sends.person,
    texts.recipient_no,
    texts.template,
    texts.title,
    texts.text,
    texts.is_ad,
    sends.failure_reason,
    if(sends.kind = 'succeeded', message_prices.price, null) as price,
    sends.event_id
from sends
left join texts on sends.event_id = texts.event_id and sends.date = texts.date
left join marts.resources
    on sends.campaign_id is not distinct from resources.campaign_id and sends.user_journey_id is not distinct from resources.user_journey_id
left join ops.message_prices
    on
        sends.channel = message_prices.channel
        and (
            message_prices.sub_channel is null
            or message_prices.sub_channel = marts.sub_channel_name(coalesce(sends.channel_subtype, texts.message_type))
        );
