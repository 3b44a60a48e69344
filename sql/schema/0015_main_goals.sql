-- The main goal of each campaign and user journey, and sums that never add up conversions of different goals.

-- Grain: one campaign or user journey; chosen_by: setting or rule.
create table ops.main_goals (
    resource_id varchar,
    goal varchar,
    chosen_on date,
    chosen_by varchar
);

create macro marts.is_one_goal(lists) as coalesce(len(list_distinct(flatten(lists))), 0) <= 1;

-- As before, with the goals whose conversions are added up: of several goals there is no sum and no rate.
create or replace macro marts.performance(days) as {
    'sent': sum(days.sent)::bigint,
    'failed': sum(days.failed)::bigint,
    'succeeded': sum(days.succeeded)::bigint,
    'delivered': sum(days.delivered)::bigint,
    'clicked': sum(days.clicked)::bigint,
    'conversions': if(marts.is_one_goal(list(distinct days.goals)), sum(days.conversions), null)::bigint,
    'direct_conversions': if(marts.is_one_goal(list(distinct days.goals)), sum(days.direct_conversions), null)::bigint,
    'failure_rate': sum(days.failed) / nullif(sum(days.sent), 0),
    'delivery_rate': sum(days.delivered) / nullif(sum(days.deliverable), 0),
    'click_rate': sum(days.clicked) / nullif(sum(days.clickable), 0),
    'conversion_rate': if(
        marts.is_one_goal(list(distinct days.goals)), sum(days.conversions) / nullif(sum(days.convertible), 0), null
    ),
    'deliverable': sum(days.deliverable)::bigint,
    'clickable': sum(days.clickable)::bigint,
    'convertible': if(marts.is_one_goal(list(distinct days.goals)), sum(days.convertible), null)::bigint,
    'goals': nullif(list_sort(list_distinct(flatten(list(distinct days.goals)))), [])
};
