-- grain: one KST day and hour of sending, channel, campaign or user journey, and template.
--
-- Messages after which their recipient could opt out. If a channel reports at least half of its sends as delivered, its delivered
-- messages count; otherwise its sent ones.

with counted as (
    select *, 2 * sum(delivered) over of_channel >= sum(sent) over of_channel as counts_deliveries
    from marts.daily_recipient_messages
    window of_channel as (partition by channel)
)

select
    counted.sent_date as date,
    counted.hour,
    counted.channel,
    counted.resource_type,
    counted.campaign_id,
    counted.user_journey_id,
    coalesce(counted.campaign_id, counted.user_journey_id) as resource_id,
    resources.resource_name,
    template_kind,
    template,
    if(any_value(counts_deliveries), 'delivered', 'sent') as counted_as,
    sum(if(counts_deliveries, delivered, sent))::bigint as messages
from counted
left join marts.resources
    on counted.campaign_id is not distinct from resources.campaign_id and counted.user_journey_id is not distinct from resources.user_journey_id
group by all;
