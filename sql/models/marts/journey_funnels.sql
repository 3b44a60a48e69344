-- grain: one user journey and node, over all loaded days.
-- also_in: main
--
-- The service does not give the order of nodes, so it is estimated from people. A person's nodes are ordered by the first event at
-- each node, and a node gets the median of its positions. Only people count who were at more than one node and entered the journey
-- at least 14 days after the first day of events; earlier people may have been in the middle of it. Nodes without events or with
-- fewer than ten such people come last, by the day of their first send and then by sends. A branch looks like a step.

with nodes as (
    select
        user_journey_id,
        user_journey_node_id,
        list_sort(list(distinct channel) filter (channel is not null)) as channels,
        min(date) filter (sent > 0) as began_on,
        min(date) as first_date,
        max(date) as last_date,
        unnest(marts.performance(message_days))
    from marts.message_days
    where user_journey_id is not null
    group by user_journey_id, user_journey_node_id
),

-- In a very large journey, only every n-th person is read, because a hundred thousand visits are enough for the order. The modulus
-- is computed in the type of person, because with mixed types DuckDB uses HUGEINT, which is seventy times slower.
samples as (
    select user_journey_id, (count(*) // 100000 + 1)::ubigint as every
    from marts.first_node_messages
    group by user_journey_id
),

visits as (
    select
        user_journey_id,
        user_journey_node_id,
        row_number() over (
            partition by user_journey_id, person
            order by first_at, user_journey_node_id
        ) as place,
        count(*) over (partition by user_journey_id, person) as nodes,
        min(date) over (partition by user_journey_id, person) as entered_on
    from marts.first_node_messages
    inner join samples using (user_journey_id)
    where person % every = 0
),

positions as (
    select
        user_journey_id,
        user_journey_node_id,
        median(place) as typical_position,
        avg(place) as mean_position
    from visits
    where nodes > 1 and entered_on >= (select min(date) + 14 from ops.coverage where stream = 'events')
    group by user_journey_id, user_journey_node_id
    having count(*) >= 10
),

steps as (
    select
        nodes.*,
        positions.typical_position,
        row_number() over funnel as step,
        first_value(nodes.sent) over funnel as sent_at_first,
        lag(nodes.sent) over funnel as sent_before
    from nodes
    left join positions
        on
            nodes.user_journey_id = positions.user_journey_id
            and nodes.user_journey_node_id = positions.user_journey_node_id
    window funnel as (
        partition by nodes.user_journey_id
        order by
            positions.typical_position nulls last,
            positions.mean_position,
            nodes.began_on nulls last,
            nodes.sent desc nulls last,
            nodes.user_journey_node_id
    )
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
    -- Null if a node sends more than the previous one.
    if(share_of_previous <= 1, 1 - share_of_previous, null) as drop_off,
    steps.typical_position,
    steps.began_on,
    steps.first_date,
    steps.last_date
from steps
left join user_journeys on steps.user_journey_id = user_journeys.user_journey_id
left join user_journey_nodes
    on
        steps.user_journey_id = user_journey_nodes.user_journey_id
        and steps.user_journey_node_id = user_journey_nodes.user_journey_node_id;
