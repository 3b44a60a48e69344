-- grain: one KST day of the response, channel, campaign or user journey, node, kind of response, and time that it took.
-- materialized: incremental
-- depends_on: events
-- dirties: all later days
--
-- How long after sending people are reached (delivered) and click (clicked). Percentiles of days cannot be added up, and
-- these counts can: times are rounded by at most 2 %, so a percentile of any days is right to that.

select
    date,
    channel,
    resource_type,
    campaign_id,
    user_journey_id,
    user_journey_node_id,
    response,
    marts.rounded_seconds(seconds) as seconds,
    count(*) as responses
from marts.message_responses
where date in (select date from batch_days)
group by all;
