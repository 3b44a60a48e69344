-- title: User journeys as funnels
-- question: How many messages does each node of a user journey send, compared with the nodes before it?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   journey (varchar, default null): id of the one user journey to look at
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('journey')::varchar as only_journey
    from ops.coverage
    where stream = 'statistics'
),
statistics as (
    select daily_statistics.*
    from daily_statistics
    inner join params on daily_statistics.date between params.first_day and params.last_day
    where
        daily_statistics.user_journey_id is not null
        and (params.only_journey is null or daily_statistics.user_journey_id = params.only_journey)
),
-- Summed up per statistic first, so that two conversions of one statistic do not count its messages twice.
conversions as (
    select
        statistic_id,
        sum(count) filter (where type = 'total_count_conversion') as conversions
    from daily_conversions
    group by statistic_id
),
nodes as (
    select
        statistics.user_journey_id,
        -- A name may change; the newest one is what people know it by.
        arg_max(statistics.user_journey_name, (statistics.date, statistics.statistic_id)) as user_journey_name,
        statistics.user_journey_node_id,
        arg_max(statistics.user_journey_node_name, (statistics.date, statistics.statistic_id)) as user_journey_node_name,
        string_agg(distinct statistics.channel, ', ' order by statistics.channel) as channels,
        sum(message_sent) as sent,
        sum(message_failed) as failed,
        sum(delivered) as delivered,
        sum(click) as clicked,
        sum(conversions) as conversions,
        -- A rate leaves out the messages that nobody counted clicks of.
        sum(message_sent - message_failed) filter (where click is not null) as clickable
    from statistics
    left join conversions on statistics.statistic_id = conversions.statistic_id
    group by statistics.user_journey_id, statistics.user_journey_node_id
),
-- The service does not say in which order the nodes stand. People only drop out on the way, so the busiest comes first.
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
    user_journey_name,
    step,
    user_journey_node_name,
    channels,
    sent::bigint as sent,
    failed::bigint as failed,
    delivered::bigint as delivered,
    clicked::bigint as clicked,
    conversions::bigint as conversions,
    round(sent / nullif(sent_at_first, 0), 4) as share_of_first,
    round(sent / nullif(sent_before, 0), 4) as share_of_previous,
    round(clicked / nullif(clickable, 0), 4) as click_rate,
    user_journey_id,
    user_journey_node_id
from steps
order by user_journey_id, step;
