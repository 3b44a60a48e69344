select campaign_id as value, campaign_name as name
from campaigns
union all
select user_journey_id, user_journey_name
from user_journeys;
