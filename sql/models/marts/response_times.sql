-- grain: one channel, campaign or user journey, and kind of response, over all days held.
--
-- Times are rounded by at most 2 %, and so are their percentiles.

with times as (
    select
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        response,
        seconds,
        sum(responses) as responses,
        sum(machine_clicks) as machine_clicks,
        min(date) as first_date,
        max(date) as last_date
    from marts.daily_response_times
    group by channel, resource_type, campaign_id, user_journey_id, response, seconds
),

added_up as (
    select
        *,
        sum(responses) over (sender order by seconds) as responses_so_far,
        nullif(sum(responses) over sender, 0) as all_responses
    from times
    window sender as (partition by channel, resource_type, campaign_id, user_journey_id, response)
),

percentiles as (
    select
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        response,
        unnest(marts.response_profile(added_up)),
        sum(machine_clicks)::bigint as machine_clicks,
        if(response = 'clicked', sum(machine_clicks) / sum(responses + machine_clicks), null) as machine_click_share,
        min(first_date) as first_date,
        max(last_date) as last_date
    from added_up
    group by channel, resource_type, campaign_id, user_journey_id, response
)

select
    percentiles.channel,
    percentiles.resource_type,
    percentiles.campaign_id,
    percentiles.user_journey_id,
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    percentiles.* exclude (channel, resource_type, campaign_id, user_journey_id)
from percentiles
left join campaigns on percentiles.campaign_id = campaigns.campaign_id
left join user_journeys on percentiles.user_journey_id = user_journeys.user_journey_id;
