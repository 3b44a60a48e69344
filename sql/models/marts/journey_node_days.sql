-- grain: one KST day, user journey, node and channel.
-- also_in: main
--
-- Names are the newest ones.

select
    message_days.date,
    message_days.user_journey_id,
    user_journeys.user_journey_name,
    message_days.user_journey_node_id,
    user_journey_nodes.user_journey_node_name,
    message_days.channel,
    message_days.goal,
    unnest(marts.performance(message_days))
from marts.message_days
inner join user_journeys on message_days.user_journey_id = user_journeys.user_journey_id
left join user_journey_nodes
    on
        message_days.user_journey_id = user_journey_nodes.user_journey_id
        and message_days.user_journey_node_id = user_journey_nodes.user_journey_node_id
group by
    message_days.date,
    message_days.user_journey_id,
    user_journeys.user_journey_name,
    message_days.user_journey_node_id,
    user_journey_nodes.user_journey_node_name,
    message_days.channel,
    message_days.goal;
