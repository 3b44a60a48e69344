-- severity: stop
-- stream: statistics
-- scope: incremental
-- meaning: A mart does not add up to the rows that it is made of, so its answers are wrong. Run `dawnload rebuild`;
--   report it if it persists.
-- marts.conversions holds all conversions, marts.message_days those of the main goals. DuckDB pushes the bounds into the view; it
-- would apply batch_days only to the view's result.

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

all_conversions as (
    select
        date,
        sum(count) filter (where type = 'total_count_conversion') as conversions,
        sum(count) filter (where type = 'direct_count_conversion') as direct_conversions
    from daily_conversions
    semi join batch_days using (date)
    group by date
),

conversions as (
    select date, sum(conversions) as conversions, sum(direct_conversions) as direct_conversions
    from marts.conversions
    semi join batch_days using (date)
    group by date
),

main_goals as (
    select distinct resource_type, resource_id, goal
    from marts.goals
    where is_main
),

main_conversions as (
    select
        statistics.date,
        sum(daily_conversions.count) filter (where daily_conversions.type = 'total_count_conversion') as conversions,
        sum(daily_conversions.count) filter (where daily_conversions.type = 'direct_count_conversion') as direct_conversions
    from (from daily_statistics semi join batch_days using (date)) as statistics
    inner join (from daily_conversions semi join batch_days using (date)) as daily_conversions
        on statistics.statistic_id = daily_conversions.statistic_id
    inner join main_goals
        on
            statistics.resource_type = main_goals.resource_type
            and coalesce(statistics.campaign_id, statistics.user_journey_id) = main_goals.resource_id
            and daily_conversions.name = main_goals.goal
    group by statistics.date
),

channel_days as (
    select
        date,
        sum(sent) as sent,
        sum(failed) as failed,
        sum(delivered) as delivered,
        sum(clicked) as clicked
    from marts.channel_days
    where
        date between getvariable('first_batch_day') and getvariable('last_batch_day')
        and date in (select date from batch_days)
    group by date
),

message_days as (
    select date, sum(conversions) as conversions, sum(direct_conversions) as direct_conversions
    from marts.message_days
    where
        date between getvariable('first_batch_day') and getvariable('last_batch_day')
        and date in (select date from batch_days)
    group by date
),

compared as (
    select
        date,
        unnest(
            [
                {'subject': 'marts.channel_days sent', 'expected': statistics.sent, 'actual': channel_days.sent},
                {'subject': 'marts.channel_days failed', 'expected': statistics.failed, 'actual': channel_days.failed},
                {
                    'subject': 'marts.channel_days delivered',
                    'expected': statistics.delivered,
                    'actual': channel_days.delivered
                },
                {'subject': 'marts.channel_days clicked', 'expected': statistics.clicked, 'actual': channel_days.clicked},
                {
                    'subject': 'marts.message_days conversions',
                    'expected': main_conversions.conversions,
                    'actual': message_days.conversions
                },
                {
                    'subject': 'marts.message_days direct_conversions',
                    'expected': main_conversions.direct_conversions,
                    'actual': message_days.direct_conversions
                },
                {
                    'subject': 'marts.conversions conversions',
                    'expected': all_conversions.conversions,
                    'actual': conversions.conversions
                },
                {
                    'subject': 'marts.conversions direct_conversions',
                    'expected': all_conversions.direct_conversions,
                    'actual': conversions.direct_conversions
                }
            ],
            recursive := true
        )
    from statistics
    full join channel_days using (date)
    full join message_days using (date)
    full join main_conversions using (date)
    full join all_conversions using (date)
    full join conversions using (date)
)

select
    date,
    subject,
    'The mart does not add up to its rows.' as finding,
    coalesce(expected, 0)::varchar as expected,
    coalesce(actual, 0)::varchar as actual
from compared
where coalesce(expected, 0) <> coalesce(actual, 0);
