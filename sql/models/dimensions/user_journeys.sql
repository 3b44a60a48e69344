-- grain: one user journey that the daily statistics know, by its latest name, or by its id where it never had one.

with by_name as (
    select
        user_journey_id,
        user_journey_name,
        max((date, statistic_id)) as last_used,
        list(distinct user_journey_node_id) filter (user_journey_node_id is not null) as nodes,
        list(distinct channel) filter (channel is not null) as channels,
        min(date) as first_date,
        max(date) as last_date
    from daily_statistics
    where user_journey_id is not null
    group by user_journey_id, user_journey_name
)

select
    user_journey_id,
    coalesce(arg_max(user_journey_name, last_used), user_journey_id) as user_journey_name,
    coalesce(list(user_journey_name order by last_used desc) filter (user_journey_name is not null)[2:], []) as former_names,
    coalesce(len(marts.members_of(list(nodes))), 0) as nodes,
    marts.members_of(list(channels)) as channels,
    min(first_date) as first_date,
    max(last_date) as last_date
from by_name
group by user_journey_id;
