-- grain: one KST day, channel, and campaign or user journey that tries failed messages again as texts.
--
-- Every day on which such a campaign has failures has a row, also without texts: a rate over the days with texts would leave out
-- failures that were not tried again. A text may be sent on the day after its message failed, so rates are meant for ranges of
-- days. The rate of one day is null where more texts were tried than messages failed.

with days as (
    select
        date,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        coalesce(sum(events) filter (kind = 'failed'), 0)::bigint as failed,
        coalesce(sum(events) filter (kind = 'failover_sent'), 0)::bigint as failover_sent,
        coalesce(sum(events) filter (kind = 'failover_failed'), 0)::bigint as failover_failed
    from marts.daily_events
    where kind in ('failed', 'failover_sent', 'failover_failed')
    group by all
),

with_tries as (
    select
        *,
        sum(failover_sent + failover_failed) over (
            partition by channel, resource_type, campaign_id, user_journey_id
        ) as tried
    from days
)

select
    with_tries.date,
    with_tries.channel,
    with_tries.resource_type,
    with_tries.campaign_id,
    with_tries.user_journey_id,
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    with_tries.failed,
    with_tries.failover_sent,
    with_tries.failover_failed,
    with_tries.failover_sent
    / nullif(with_tries.failover_sent + with_tries.failover_failed, 0) as failover_success_rate,
    -- The share of failed messages that were sent as a text instead.
    case
        when with_tries.failover_sent + with_tries.failover_failed <= with_tries.failed
        then with_tries.failover_sent / nullif(with_tries.failed, 0)
    end as rescue_rate
from with_tries
left join campaigns on with_tries.campaign_id = campaigns.campaign_id
left join user_journeys on with_tries.user_journey_id = user_journeys.user_journey_id
where with_tries.tried > 0;
