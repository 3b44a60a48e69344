-- grain: one KST day, campaign, channel, variant name and person: who got messages of an A/B test, and who clicked.
-- materialized: incremental
-- depends_on: events
--
-- People are what a test divides, so people are what it must count. Their days are kept apart: any span adds up.

select
    date,
    campaign_id,
    channel,
    experiment_group_name as variant_name,
    md5_number_lower(coalesce(user_id, service_user_id, device_id, service_device_id)) as person,
    count(*) filter (marts.event_kind(event_name) in ('succeeded', 'failed')) as sent,
    count(*) filter (marts.event_kind(event_name) = 'succeeded') as succeeded,
    count(*) filter (marts.event_kind(event_name) = 'delivered') as delivered,
    count(*) filter (marts.event_kind(event_name) = 'clicked') as clicked
from events
where
    date in (select date from batch_days)
    and campaign_id is not null
    and experiment_group_name is not null
    and coalesce(user_id, service_user_id, device_id, service_device_id) is not null
    and marts.event_kind(event_name) in ('succeeded', 'failed', 'delivered', 'clicked')
group by all;
