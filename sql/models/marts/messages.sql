-- grain: one message of the exports: sent, failed, or shown in the app or on the web.
-- lake: none
--
-- A message of an export without message_data has no text.
-- Filter by date first.

-- Find the few ids that several records have first, because a window over all messages would need memory for all.
with repeated as (
    select date, event_id, min(row(occurred_at, event_name)) as first_record
    from marts.counted_events
    where event_id is not null and marts.is_message(event_name, channel)
    group by date, event_id
    having count(*) > 1
),
sends as (
    select records.*
    from marts.event_people as records
    left join repeated on records.date = repeated.date and records.event_id = repeated.event_id
    where
        marts.is_message(records.event_name, records.channel)
        and (repeated.event_id is null or repeated.first_record = row(records.occurred_at, records.event_name))
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
left join marts.message_texts as texts on sends.event_id = texts.event_id and sends.date = texts.date
left join marts.resources
    on sends.campaign_id is not distinct from resources.campaign_id and sends.user_journey_id is not distinct from resources.user_journey_id
left join ops.message_prices
    on
        sends.channel = message_prices.channel
        and (
            message_prices.sub_channel is null
            or message_prices.sub_channel = marts.sub_channel_name(coalesce(sends.channel_subtype, texts.message_type))
        );
