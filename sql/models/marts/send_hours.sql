-- grain: a row of daily_send_hours: one KST day, day, weekday and hour of sending, channel, and campaign or user journey.
--
-- The base of click rates by time of sending. clickable and clicked are null for messages sent before the channel's first click.
-- They are also null if privacy.columns drops an id, because the message of a click is found by its person. In-app and in-web
-- messages are clickable when they are shown, from the channel's first delivery on.

select
    coalesce(sends.campaign_id, sends.user_journey_id) as resource_id,
    resources.resource_name,
    sends.* exclude (shown) replace (
        if(sends.sent_date >= counters.clicks_since and marts.counts_people(), sends.clicked, null) as clicked
    ),
    if(
        sends.sent_date >= counters.clicks_since and marts.counts_people(),
        marts.clickable_messages(
            sends.channel, sends.succeeded, if(sends.sent_date >= counters.deliveries_since, sends.shown, null)
        ),
        null
    ) as clickable
from marts.daily_send_hours as sends
left join marts.channel_counters as counters on sends.channel is not distinct from counters.channel
left join marts.resources
    on sends.campaign_id is not distinct from resources.campaign_id and sends.user_journey_id is not distinct from resources.user_journey_id;
