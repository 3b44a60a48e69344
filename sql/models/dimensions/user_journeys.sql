-- grain: one user journey that the daily statistics know, by its latest name, or by its id where it never had one.

with statistics as (
    select user_journey_id, user_journey_name, user_journey_node_id, channel, date, statistic_id
    from daily_statistics
    where user_journey_id is not null
),

names as (
    select user_journey_id, user_journey_name, max((date, statistic_id)) as last_used
    from statistics
    where user_journey_name is not null
    group by user_journey_id, user_journey_name
),

names_of_each as (
    select user_journey_id, list(user_journey_name order by last_used desc) as names
    from names
    group by user_journey_id
),

seen as (
    select
        user_journey_id,
        count(distinct user_journey_node_id) as nodes,
        list_sort(list(distinct channel) filter (channel is not null)) as channels,
        min(date) as first_date,
        max(date) as last_date
    from statistics
    group by user_journey_id
)

select
    seen.user_journey_id,
    coalesce(names_of_each.names[1], seen.user_journey_id) as user_journey_name,
    coalesce(names_of_each.names[2:], []) as former_names,
    seen.nodes,
    seen.channels,
    seen.first_date,
    seen.last_date
from seen
left join names_of_each on seen.user_journey_id = names_of_each.user_journey_id;
