-- severity: stop
-- stream: statistics
-- scope: incremental
-- depends_on: statistics, statistics_by_subchannel
-- meaning: Rows of the daily statistics or of their conversions are stored more than once or without an id, so sums are
--   too high. Run `dawnload rebuild`; report it if it persists.

with rows_by_key as (
    select 'daily_statistics' as subject, date, statistic_id, null as position from daily_statistics
    union all
    select 'daily_statistics_by_subchannel', date, statistic_id, null from daily_statistics_by_subchannel
    union all
    select 'daily_conversions', date, statistic_id, position from daily_conversions
    union all
    select 'daily_conversions_by_subchannel', date, statistic_id, position from daily_conversions_by_subchannel
),

broken as (
    select subject, date, statistic_id, count(*) as times
    from rows_by_key
    semi join batch_days using (date)
    group by subject, date, statistic_id, position
    having count(*) > 1 or statistic_id is null
)

select
    date,
    subject,
    'Several rows have the same id, such as ' || coalesce(min(statistic_id), 'one without an id') || '.' as finding,
    '1' as expected,
    max(times) as actual
from broken
group by date, subject;
