-- grain: one KST day, kind of template, template, sender, channel, sub-channel, and campaign or user journey.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
--
-- Records with one id share a message, which is stored with the first record; a click may come days later. Alimtalk templates with the same code differ by
-- sender. Brand messages do not name their sender.

with messages as (
    select event_id, date, 'alimtalk' as template_kind, template_code as template, sender_key, plus_friend_id
    from alimtalk_messages
    where date in (select date from lookback_days) and template_code is not null
    union all
    select event_id, date, 'brand', template_name, null, null
    from brand_messages
    where date in (select date from lookback_days) and template_name is not null
),

occurred as (
    select
        event_id,
        date,
        channel,
        channel_subtype,
        resource_type,
        campaign_id,
        user_journey_id,
        marts.event_kind(event_name) as kind
    from marts.counted_events
    where date in (select date from batch_days)
)

select
    occurred.date,
    messages.template_kind,
    messages.template,
    messages.sender_key,
    messages.plus_friend_id,
    occurred.channel,
    occurred.channel_subtype,
    occurred.resource_type,
    occurred.campaign_id,
    occurred.user_journey_id,
    count(*) filter (occurred.kind in ('succeeded', 'failed')) as sent,
    count(*) filter (occurred.kind = 'failed') as failed,
    count(*) filter (occurred.kind = 'succeeded') as succeeded,
    count(*) filter (occurred.kind = 'delivered') as delivered,
    count(*) filter (occurred.kind = 'clicked') as clicked
from occurred
inner join messages
    on occurred.event_id = messages.event_id and occurred.date between messages.date and messages.date + 7
group by all;
