-- grain: one node of a user journey that sent messages, by its latest name.

create or replace view user_journey_nodes as
with statistics as (
    select user_journey_id, user_journey_node_id, user_journey_node_name, channel, date, statistic_id
    from daily_statistics
    where user_journey_id is not null and user_journey_node_id is not null
)

select
    user_journey_id,
    user_journey_node_id,
    arg_max(user_journey_node_name, (date, statistic_id)) as user_journey_node_name,
    list_sort(list(distinct channel) filter (channel is not null)) as channels,
    min(date) as first_date,
    max(date) as last_date
from statistics
group by user_journey_id, user_journey_node_id;

comment on view user_journey_nodes is 'Nodes of user journeys that sent messages: one row each, by the latest name.';
comment on column user_journey_nodes.user_journey_id is 'User journey.';
comment on column user_journey_nodes.user_journey_node_id is 'Node.';
comment on column user_journey_nodes.user_journey_node_name is 'Its latest name.';
comment on column user_journey_nodes.channels is 'Channels that it sent through.';
comment on column user_journey_nodes.first_date is 'First KST day with a count.';
comment on column user_journey_nodes.last_date is 'Last KST day with a count.';
