-- grain: one node of a user journey that sent messages, by its latest name, or by its id if it never had one.

select id as user_journey_id, part as user_journey_node_id, name as user_journey_node_name, * exclude (id, part, name)
from marts.named(user_journey_id, user_journey_node_id, user_journey_node_name);
