-- grain: one channel, campaign or user journey, and kind of response, over all days held.
--
-- Percentiles cannot be added up: these are the averages of the days, weighed by their responses.

select
    daily_response_times.channel,
    daily_response_times.resource_type,
    daily_response_times.campaign_id,
    daily_response_times.user_journey_id,
    coalesce(max(campaigns.campaign_name), max(user_journeys.user_journey_name)) as resource_name,
    daily_response_times.response,
    sum(daily_response_times.responses)::bigint as responses,
    sum(daily_response_times.p50_seconds * daily_response_times.responses)
    / sum(daily_response_times.responses) as p50_seconds,
    sum(daily_response_times.p90_seconds * daily_response_times.responses)
    / sum(daily_response_times.responses) as p90_seconds,
    sum(daily_response_times.p99_seconds * daily_response_times.responses)
    / sum(daily_response_times.responses) as p99_seconds,
    sum(daily_response_times.within_minute) / sum(daily_response_times.responses) as share_within_minute,
    sum(daily_response_times.within_hour) / sum(daily_response_times.responses) as share_within_hour,
    sum(daily_response_times.within_day) / sum(daily_response_times.responses) as share_within_day,
    min(daily_response_times.date) as first_date,
    max(daily_response_times.date) as last_date
from marts.daily_response_times
left join campaigns on daily_response_times.campaign_id = campaigns.campaign_id
left join user_journeys on daily_response_times.user_journey_id = user_journeys.user_journey_id
group by
    daily_response_times.channel,
    daily_response_times.resource_type,
    daily_response_times.campaign_id,
    daily_response_times.user_journey_id,
    daily_response_times.response;
