-- grain: one campaign or user journey, channel and goal, over all days held.
--
-- A goal is the name of a conversion. One is the main goal of a campaign or user journey: the one that the configuration
-- names (experiments), else the one with most conversions on all channels together, ties by name.

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
),

totals as (
    select *, sum(conversions) over (partition by resource_type, resource_id, goal) as total
    from counted
),

ranked as (
    select
        *,
        first_value(goal) over (
            partition by resource_type, resource_id
            order by total desc nulls last, goal
        ) as goal_of_most
    from totals
)

select
    ranked.resource_type,
    ranked.resource_id,
    ranked.channel,
    ranked.goal,
    ranked.goal = coalesce(experiments.goal, ranked.goal_of_most) as is_main,
    experiments.goal is not null as is_configured,
    ranked.conversions,
    ranked.direct_conversions,
    ranked.first_date,
    ranked.last_date
from ranked
left join ops.experiments as experiments
    on ranked.resource_type = 'campaign' and ranked.resource_id = experiments.campaign_id;
