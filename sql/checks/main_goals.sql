-- severity: warn
-- scope: full
-- meaning: This campaign or user journey counts the conversions of its main goal, which is chosen once. To change or confirm the
--   goal, name it under `main_goals` in dawnload.yaml; the next run applies it to all days.

with totals as (
    select
        goals.resource_id,
        goals.goal,
        sum(goals.conversions)::bigint as conversions,
        any_value(main_goals.goal) as main_goal,
        any_value(main_goals.chosen_by) as chosen_by
    from marts.goals
    inner join ops.main_goals as main_goals on goals.resource_id = main_goals.resource_id
    group by goals.resource_id, goals.goal
),

judged as (
    select
        resource_id,
        any_value(main_goal) as main_goal,
        any_value(chosen_by) as chosen_by,
        list(goal order by goal) as goals,
        coalesce(max(conversions) filter (goal = main_goal), 0) as conversions,
        arg_max(goal, conversions) as leader,
        max(conversions) as most
    from totals
    group by resource_id
)

select
    null::date as date,
    resource_id as subject,
    'Another goal has more conversions than the main goal, which was chosen before.' as finding,
    main_goal || ': ' || conversions as expected,
    leader || ': ' || most as actual
from judged
where chosen_by = 'rule' and most > conversions
union all
select null, resource_id, 'No conversion has the name of the goal in the settings.', array_to_string(goals, ', '), main_goal
from judged
where chosen_by = 'setting' and not list_contains(goals, main_goal)
union all
select null, resource_id, 'No data has a campaign or user journey with this id yet.', null, goal
from ops.main_goals
where
    chosen_by = 'setting'
    and resource_id not in (select campaign_id from campaigns union all select user_journey_id from user_journeys);
