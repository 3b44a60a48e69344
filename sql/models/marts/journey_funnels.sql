-- grain: one user journey and node, over all days held.
--
-- The service does not tell the order of the nodes. People only drop out on the way, so the busiest node counts as the
-- first step: a branch shows as a step too.

with nodes as (
    select
        user_journey_id,
        user_journey_node_id,
        list_sort(list(distinct channel) filter (channel is not null)) as channels,
        min(date) as first_date,
        max(date) as last_date,
        sum(sent)::bigint as sent,
        sum(failed)::bigint as failed,
        sum(succeeded)::bigint as succeeded,
        sum(delivered)::bigint as delivered,
        sum(clicked)::bigint as clicked,
        sum(conversions)::bigint as conversions,
        sum(clicked) / nullif(sum(clickable), 0) as click_rate,
        sum(conversions) / nullif(sum(succeeded), 0) as conversion_rate
    from marts.message_days
    where user_journey_id is not null
    group by user_journey_id, user_journey_node_id
),

steps as (
    select
        *,
        row_number() over funnel as step,
        first_value(sent) over funnel as sent_at_first,
        lag(sent) over funnel as sent_before
    from nodes
    window funnel as (partition by user_journey_id order by sent desc nulls last, user_journey_node_id)
)

select
    steps.user_journey_id,
    user_journeys.user_journey_name,
    steps.step,
    steps.user_journey_node_id,
    user_journey_nodes.user_journey_node_name,
    steps.channels,
    steps.sent,
    steps.failed,
    steps.succeeded,
    steps.delivered,
    steps.clicked,
    steps.conversions,
    steps.click_rate,
    steps.conversion_rate,
    steps.sent / nullif(steps.sent_at_first, 0) as share_of_first,
    steps.sent / nullif(steps.sent_before, 0) as share_of_previous,
    1 - share_of_previous as drop_off,
    steps.first_date,
    steps.last_date
from steps
left join user_journeys on steps.user_journey_id = user_journeys.user_journey_id
left join user_journey_nodes
    on
        steps.user_journey_id = user_journey_nodes.user_journey_id
        and steps.user_journey_node_id = user_journey_nodes.user_journey_node_id;
