-- severity: stop
-- stream: statistics
-- scope: incremental
-- meaning: A mart does not add up to the rows that it is made of, so its answers are wrong. Run `dawnload rebuild`;
--   report it if it persists.
-- marts.conversions has all conversions, marts.message_days those of the main goals. The days are given as bounds, because DuckDB
-- pushes these down into the view, but applies batch_days only to its result.

with statistics as (
    select
        date,
        sum(message_sent) as sent,
        sum(message_failed) as failed,
        sum(delivered) as delivered,
        sum(click) as clicked
    from daily_statistics
    semi join batch_days using (date)
    group by date
),

-- If the count of a conversion is not a number, the mart has no number for it.
conversions as (
    select
        date,
        statistic_id,
        name,
        if(bool_and(count is not null) filter (type = 'total_count_conversion'), sum(count) filter (type = 'total_count_conversion'), null) as conversions,
        if(bool_and(count is not null) filter (type = 'direct_count_conversion'), sum(count) filter (type = 'direct_count_conversion'), null) as direct_conversions
    from daily_conversions
    semi join batch_days using (date)
    group by date, statistic_id, name
),

main_goals as (
    select distinct resource_type, resource_id, goal
    from marts.goals
    where is_main
),

-- The conversions that the two marts must have: all of them, and those of the main goals.
expected_conversions as (
    select 'marts.conversions' as mart, date, conversions, direct_conversions
    from conversions
    union all
    select 'marts.message_days', statistics.date, conversions.conversions, conversions.direct_conversions
    from (from daily_statistics semi join batch_days using (date)) as statistics
    inner join conversions on statistics.statistic_id = conversions.statistic_id
    inner join main_goals
        on
            statistics.resource_type = main_goals.resource_type
            and coalesce(statistics.campaign_id, statistics.user_journey_id) = main_goals.resource_id
            and conversions.name = main_goals.goal
),

counted as (
    unpivot (
        select 'marts.channel_days' as mart, * from statistics
        union all by name
        select mart, date, sum(conversions) as conversions, sum(direct_conversions) as direct_conversions
        from expected_conversions
        group by mart, date
    )
    on columns(* exclude (mart, date)) into name counter value expected
),

mart_rows as (
    select 'marts.channel_days' as mart, date, sent, failed, delivered, clicked
    from marts.channel_days
    where date between getvariable('first_batch_day') and getvariable('last_batch_day')
    union all by name
    select 'marts.message_days' as mart, date, conversions, direct_conversions
    from marts.message_days
    where date between getvariable('first_batch_day') and getvariable('last_batch_day')
    union all by name
    select 'marts.conversions' as mart, date, conversions, direct_conversions
    from marts.conversions
),

summed as (
    unpivot (
        select mart, date, sum(columns(* exclude (mart, date)))
        from mart_rows
        semi join batch_days using (date)
        group by mart, date
    )
    on columns(* exclude (mart, date)) into name counter value actual
)

select
    date,
    mart || ' ' || counter as subject,
    'The mart does not add up to its rows.' as finding,
    coalesce(expected, 0)::varchar as expected,
    coalesce(actual, 0)::varchar as actual
from counted
full join summed using (mart, date, counter)
where coalesce(expected, 0) <> coalesce(actual, 0);
