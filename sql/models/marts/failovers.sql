-- grain: one KST day, channel, and campaign or user journey with messages that were tried again as a text.

select
    daily_events.date,
    daily_events.channel,
    daily_events.resource_type,
    daily_events.campaign_id,
    daily_events.user_journey_id,
    coalesce(max(campaigns.campaign_name), max(user_journeys.user_journey_name)) as resource_name,
    coalesce(sum(daily_events.events) filter (daily_events.kind = 'failed'), 0)::bigint as failed,
    coalesce(sum(daily_events.events) filter (daily_events.kind = 'failover_sent'), 0)::bigint as failover_sent,
    coalesce(
        sum(daily_events.events) filter (daily_events.kind = 'failover_failed'), 0
    )::bigint as failover_failed,
    failover_sent / nullif(failover_sent + failover_failed, 0) as failover_success_rate,
    -- Of the messages that failed, how many reached the person as a text.
    failover_sent / nullif(failed, 0) as rescue_rate
from marts.daily_events
left join campaigns on daily_events.campaign_id = campaigns.campaign_id
left join user_journeys on daily_events.user_journey_id = user_journeys.user_journey_id
group by
    daily_events.date,
    daily_events.channel,
    daily_events.resource_type,
    daily_events.campaign_id,
    daily_events.user_journey_id
having count(*) filter (daily_events.kind in ('failover_sent', 'failover_failed')) > 0;
