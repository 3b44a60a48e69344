-- grain: one user journey that the daily statistics know, by its latest name.

create or replace view user_journeys as
with statistics as (
    select user_journey_id, user_journey_name, user_journey_node_id, channel, date, statistic_id
    from daily_statistics
    where user_journey_id is not null
)

select
    user_journey_id,
    arg_max(user_journey_name, (date, statistic_id)) as user_journey_name,
    count(distinct user_journey_node_id) as nodes,
    list_sort(list(distinct channel) filter (channel is not null)) as channels,
    min(date) as first_date,
    max(date) as last_date
from statistics
group by user_journey_id;

comment on view user_journeys is 'User journeys with messages in the daily statistics: one row each, by the latest name.';
comment on column user_journeys.user_journey_id is 'User journey.';
comment on column user_journeys.user_journey_name is 'Its latest name.';
comment on column user_journeys.nodes is 'How many of its nodes sent messages.';
comment on column user_journeys.channels is 'Channels that it sent through.';
comment on column user_journeys.first_date is 'First KST day with a count.';
comment on column user_journeys.last_date is 'Last KST day with a count.';
