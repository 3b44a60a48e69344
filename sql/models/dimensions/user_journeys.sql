-- grain: one user journey in the daily statistics, with its latest name, or its id if it never had one.

with nodes as (
    select user_journey_id, count(distinct user_journey_node_id) as nodes
    from daily_statistics
    group by user_journey_id
)

select named.id as user_journey_id, named.name as user_journey_name, former_names, nodes.nodes, named.* exclude (id, part, name, former_names)
from marts.named(user_journey_id, user_journey_id, user_journey_name) as named
inner join nodes on named.id = nodes.user_journey_id;
