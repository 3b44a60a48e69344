-- grain: one KST day of the response, channel, campaign or user journey, node, kind of response, and time that it took.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
--
-- The time from sending to delivery (delivered) and to the click (clicked). Percentiles of days do not add up; these counts do.
-- Times are rounded by at most 2 %, so a percentile over any days is exact to 2 %. quick_clicks are clicks within two seconds of
-- delivery, or of sending where no delivery is known: link scanners make them.

with responses as (
    select *, hash(channel, campaign_id, user_journey_id, user_journey_node_id) as sender
    from marts.message_responses
    where date in (select unnest([date - 1, date]) from batch_days)
),

clicks as (
    select *
    from responses
    where response = 'clicked' and date in (select date from batch_days)
),

deliveries as (
    select person, sender, sent_at, seconds
    from responses
    where response = 'delivered' and person in (select person from clicks)
),

timed as (
    select clicks.* exclude (sender), round(clicks.seconds - coalesce(deliveries.seconds, 0), 3) <= 2 as is_quick
    from clicks
    asof left join deliveries
        on
            clicks.person = deliveries.person
            and clicks.sender = deliveries.sender
            and clicks.sent_at = deliveries.sent_at
            and clicks.seconds >= deliveries.seconds
    union all by name
    select * exclude (sender), null as is_quick
    from responses
    where response <> 'clicked' and date in (select date from batch_days)
)

select
    date,
    channel,
    resource_type,
    campaign_id,
    user_journey_id,
    user_journey_node_id,
    response,
    marts.rounded_seconds(seconds) as seconds,
    count(*) as responses,
    count(*) filter (is_quick) as quick_clicks
from timed
group by all;
