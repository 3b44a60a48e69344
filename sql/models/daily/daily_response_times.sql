-- grain: one KST day of the response, channel, campaign or user journey, node, kind of response, and time that it took.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
--
-- The time from sending to delivery (delivered) or to the click (clicked). Percentiles of days cannot be combined, but these counts
-- can be added. Times are rounded by at most 2%, so a percentile over any days has an error of at most 2%. Clicks by machines are
-- counted separately.

select
    date,
    channel,
    resource_type,
    campaign_id,
    user_journey_id,
    user_journey_node_id,
    response,
    marts.rounded_seconds(seconds) as seconds,
    count(*) filter (not coalesce(is_machine, false)) as responses,
    count(*) filter (is_machine) as machine_clicks
from marts.message_responses
where date in (select date from batch_days)
group by all;
