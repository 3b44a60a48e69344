-- grain: one KST day, campaign and channel.
-- also_in: main
--
-- Name and tags are the campaign's latest ones.

select
    message_days.date,
    message_days.campaign_id,
    campaigns.campaign_name,
    message_days.channel,
    campaigns.tags,
    message_days.goal,
    unnest(marts.performance(message_days))
from marts.message_days
inner join campaigns on message_days.campaign_id = campaigns.campaign_id
group by
    message_days.date,
    message_days.campaign_id,
    campaigns.campaign_name,
    message_days.channel,
    campaigns.tags,
    message_days.goal;
