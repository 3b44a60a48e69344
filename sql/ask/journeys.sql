select user_journey_id as value, user_journey_name as name
from user_journeys;
