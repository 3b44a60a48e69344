-- grain: one KST day, channel, and campaign or user journey with messages that were tried again as a text.
--
-- A text may go out the day after its message failed: a day on which messages failed is kept if texts were tried on it or on
-- the day after. So rates are right over a range of days; of one day they are null where more texts were tried than messages
-- failed, since some belong to the day before.

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

with_next_day as (
    select
        *,
        sum(failover_sent + failover_failed) over (
            partition by channel, resource_type, campaign_id, user_journey_id
            order by date
            range between current row and interval 1 day following
        ) as tried
    from days
)

select
    with_next_day.date,
    with_next_day.channel,
    with_next_day.resource_type,
    with_next_day.campaign_id,
    with_next_day.user_journey_id,
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    with_next_day.failed,
    with_next_day.failover_sent,
    with_next_day.failover_failed,
    with_next_day.failover_sent
    / nullif(with_next_day.failover_sent + with_next_day.failover_failed, 0) as failover_success_rate,
    -- Of the messages that failed, how many reached the person as a text.
    case
        when with_next_day.failover_sent + with_next_day.failover_failed <= with_next_day.failed
        then with_next_day.failover_sent / nullif(with_next_day.failed, 0)
    end as rescue_rate
from with_next_day
left join campaigns on with_next_day.campaign_id = campaigns.campaign_id
left join user_journeys on with_next_day.user_journey_id = user_journeys.user_journey_id
where with_next_day.tried > 0;
