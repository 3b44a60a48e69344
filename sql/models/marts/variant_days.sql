-- grain: one KST day, campaign, variant and channel.
-- also_in: main
--
-- Names are the newest ones.

select
    message_days.date,
    message_days.campaign_id,
    campaigns.campaign_name,
    message_days.variant_id,
    campaign_variants.variant_name,
    message_days.channel,
    message_days.goal,
    unnest(marts.performance(message_days))
from marts.message_days
inner join campaigns on message_days.campaign_id = campaigns.campaign_id
inner join campaign_variants
    on
        message_days.campaign_id = campaign_variants.campaign_id
        and message_days.variant_id = campaign_variants.variant_id
group by
    message_days.date,
    message_days.campaign_id,
    campaigns.campaign_name,
    message_days.variant_id,
    campaign_variants.variant_name,
    message_days.channel,
    message_days.goal;
