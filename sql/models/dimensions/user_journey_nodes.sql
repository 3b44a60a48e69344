-- grain: one node of a user journey that sent messages, by its latest name, or by its id where it never had one.

with by_name as (
    select
        user_journey_id,
        user_journey_node_id,
        user_journey_node_name,
        max((date, statistic_id)) as last_used,
        list(distinct channel) filter (channel is not null) as channels,
        min(date) as first_date,
        max(date) as last_date
    from daily_statistics
    where user_journey_id is not null and user_journey_node_id is not null
    group by user_journey_id, user_journey_node_id, user_journey_node_name
)

select
    user_journey_id,
    user_journey_node_id,
    coalesce(arg_max(user_journey_node_name, last_used), user_journey_node_id) as user_journey_node_name,
    coalesce(
        list(user_journey_node_name order by last_used desc) filter (user_journey_node_name is not null)[2:], []
    ) as former_names,
    marts.members_of(list(channels)) as channels,
    min(first_date) as first_date,
    max(last_date) as last_date
from by_name
group by user_journey_id, user_journey_node_id;
