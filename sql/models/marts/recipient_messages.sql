-- grain: one KST day and hour of sending, channel, campaign or user journey, and template.
--
-- Messages that an opt-out of their recipient could follow. On a channel that reports at least half of its sends as delivered,
-- the delivered ones count; on any other channel the sent ones do.

with counted as (
    select *, 2 * sum(delivered) over of_channel >= sum(sent) over of_channel as counts_deliveries
    from marts.daily_recipient_messages
    window of_channel as (partition by channel)
)

select
    sent_date as date,
    hour,
    channel,
    resource_type,
    campaign_id,
    user_journey_id,
    template_kind,
    template,
    if(any_value(counts_deliveries), 'delivered', 'sent') as counted_as,
    sum(if(counts_deliveries, delivered, sent))::bigint as messages
from counted
group by all;
