-- grain: one KST day, channel, and campaign or user journey that replaces failed messages by texts.
--
-- A campaign that sends texts has a row for every day with failures, even without texts, because rates must include failures
-- without a text. A text may be sent on the day after its message failed, so use rates over several days. The rate of one day is
-- null if more texts were tried than messages failed.

with days as (
    select
        date,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        coalesce(sum(events) filter (kind = 'failed'), 0)::bigint as failed,
        coalesce(sum(events) filter (kind = 'failover_succeeded'), 0)::bigint as failover_succeeded,
        coalesce(sum(events) filter (kind = 'failover_failed'), 0)::bigint as failover_failed
    from marts.daily_events
    where kind in ('failed', 'failover_succeeded', 'failover_failed')
    group by date, channel, resource_type, campaign_id, user_journey_id
    qualify sum(failover_succeeded + failover_failed) over (partition by channel, resource_type, campaign_id, user_journey_id) > 0
)

select
    days.*,
    coalesce(days.campaign_id, days.user_journey_id) as resource_id,
    resources.resource_name,
    failover_succeeded / nullif(failover_succeeded + failover_failed, 0) as failover_success_rate,
    -- The share of failed messages that were sent as a text.
    if(failover_succeeded + failover_failed <= failed, failover_succeeded / nullif(failed, 0), null) as rescue_rate
from days
left join marts.resources
    on days.campaign_id is not distinct from resources.campaign_id and days.user_journey_id is not distinct from resources.user_journey_id;
