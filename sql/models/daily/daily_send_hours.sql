-- grain: one KST day, weekday and hour of sending, channel, and campaign or user journey.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
--
-- A click counts for the weekday and hour in which its message was sent, that is the last one before it to that person,
-- from the same campaign or node and on the same channel, within seven days: so the hours answer when to send.

with occurred as (
    select
        date,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
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

sends as (
    select *
    from occurred
    where kind in ('succeeded', 'failed')
),

clicks as (
    select clicks.* exclude (occurred_at), sends.occurred_at
    from (select * from occurred where kind = 'clicked' and date in (select date from batch_days)) as clicks
    asof inner join (select thread, occurred_at from sends where kind = 'succeeded') as sends
        on clicks.thread = sends.thread and clicks.occurred_at >= sends.occurred_at
    where sends.occurred_at > clicks.occurred_at - interval 7 days
),

counted as (
    select * from sends where date in (select date from batch_days)
    union all by name
    select * from clicks
)

select
    date,
    isodow(occurred_at at time zone 'Asia/Seoul')::integer as weekday,
    hour(occurred_at at time zone 'Asia/Seoul')::integer as hour,
    channel,
    resource_type,
    campaign_id,
    user_journey_id,
    count(*) filter (kind = 'succeeded') as succeeded,
    count(*) filter (kind = 'failed') as failed,
    count(*) filter (kind = 'clicked') as clicked
from counted
group by all;
