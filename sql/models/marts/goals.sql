-- grain: one campaign or user journey, channel and goal, over all loaded days.
--
-- A goal is the name of a conversion. The main goal of a campaign or user journey is in ops.main_goals and is chosen once. Until it
-- has conversions, the first goal by name is used.

with counted as (
    select
        resource_type,
        resource_id,
        channel,
        conversion_name as goal,
        sum(conversions)::bigint as conversions,
        sum(direct_conversions)::bigint as direct_conversions,
        min(date) as first_date,
        max(date) as last_date
    from marts.conversions
    group by resource_type, resource_id, channel, conversion_name
)

select
    counted.resource_type,
    counted.resource_id,
    resources.resource_name,
    counted.channel,
    counted.goal,
    counted.goal = coalesce(
        main_goals.goal, min(counted.goal) over (partition by counted.resource_type, counted.resource_id)
    ) as is_main,
    coalesce(main_goals.chosen_by = 'setting', false) as is_configured,
    counted.conversions,
    counted.direct_conversions,
    counted.first_date,
    counted.last_date
from counted
left join ops.main_goals as main_goals on counted.resource_id = main_goals.resource_id
left join marts.resources
    on counted.resource_type = resources.resource_type and counted.resource_id = resources.resource_id;
