-- grain: one KST day and hour of sending, channel, campaign or user journey, and template.
--
-- Messages that an opt-out of their recipient could follow: those that were delivered where events of the channel tell of
-- deliveries, else those that were sent.

with counted as (
    select *, sum(delivered) over (partition by channel) > 0 as counts_deliveries
    from marts.daily_recipient_messages
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
