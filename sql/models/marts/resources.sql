-- grain: one campaign or user journey.

select 'campaign' as resource_type, campaign_id as resource_id, campaign_name as resource_name, campaign_id, null as user_journey_id
from campaigns
union all
select 'user-journey', user_journey_id, user_journey_name, null, user_journey_id
from user_journeys;
