-- grain: one KST day, day, weekday and hour of sending, channel, and campaign or user journey.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
--
-- A click counts for the day and hour in which its message was sent, because hours should show when to send. Clicks by machines are
-- counted separately. shown counts the in-app and in-web messages of that hour that were shown.

with counted as (
    select
        date,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        marts.event_kind(event_name) as counter,
        occurred_at as sent_at
    from marts.counted_events
    where date in (select date from batch_days) and occurred_at is not null
    union all
    select
        date,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        case when is_machine then 'machine clicks' when response = 'clicked' then 'clicks on sends' else 'shown' end,
        sent_at
    from marts.message_responses
    where
        date in (select date from batch_days)
        and (response = 'clicked' or (response = 'delivered' and marts.is_display(channel)))
)

select
    date,
    (sent_at at time zone 'Asia/Seoul')::date as sent_date,
    isodow(sent_at at time zone 'Asia/Seoul')::integer as weekday,
    hour(sent_at at time zone 'Asia/Seoul')::integer as hour,
    channel,
    resource_type,
    campaign_id,
    user_journey_id,
    count(*) filter (counter = 'succeeded') as succeeded,
    count(*) filter (counter = 'failed') as failed,
    count(*) filter (counter = 'clicks on sends') as clicked,
    count(*) filter (counter = 'machine clicks') as machine_clicks,
    count(*) filter (counter = 'shown') as shown
from counted
where counter in ('succeeded', 'failed', 'clicks on sends', 'machine clicks', 'shown')
group by all;
