-- grain: one KST day of the response, channel, campaign or user journey, node, and kind of response.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
--
-- How long after sending people are reached (delivered) and click (clicked). The send is the last one before it to that
-- person, from the same campaign or node and on the same channel, within seven days.

with occurred as (
    select
        date,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        user_journey_node_id,
        marts.event_kind(event_name) as kind,
        hash(
            coalesce(user_id, service_user_id, device_id, service_device_id),
            channel,
            campaign_id,
            user_journey_id,
            user_journey_node_id
        ) as thread,
        occurred_at
    from events
    where date in (select date from lookback_days) and occurred_at is not null
),

responses as (
    select *
    from occurred
    where kind in ('delivered', 'clicked') and date in (select date from batch_days)
),

sends as (
    select thread, occurred_at
    from occurred
    where kind = 'succeeded'
),

delays as (
    select
        responses.* exclude (thread, occurred_at),
        date_diff('millisecond', sends.occurred_at, responses.occurred_at) / 1000 as seconds
    from responses
    asof inner join sends
        on responses.thread = sends.thread and responses.occurred_at >= sends.occurred_at
    where sends.occurred_at > responses.occurred_at - interval 7 days
)

select
    date,
    channel,
    resource_type,
    campaign_id,
    user_journey_id,
    user_journey_node_id,
    kind as response,
    count(*) as responses,
    quantile_cont(seconds, 0.5) as p50_seconds,
    quantile_cont(seconds, 0.9) as p90_seconds,
    quantile_cont(seconds, 0.99) as p99_seconds,
    count(*) filter (seconds <= 60) as within_minute,
    count(*) filter (seconds <= 3600) as within_hour,
    count(*) filter (seconds <= 86400) as within_day
from delays
group by all;
