-- severity: stop
-- stream: statistics
-- scope: incremental
-- depends_on: statistics, statistics_by_subchannel
-- meaning: Conversions belong to no row of the daily statistics, so joins lose them. Run `dawnload rebuild`; report it
--   if it persists.

with lone as (
    select 'daily_conversions' as subject, date
    from daily_conversions
    semi join batch_days using (date)
    anti join (from daily_statistics semi join batch_days using (date)) as statistics using (date, statistic_id)

    union all
    select 'daily_conversions_by_subchannel', date
    from daily_conversions_by_subchannel
    semi join batch_days using (date)
    anti join (from daily_statistics_by_subchannel semi join batch_days using (date)) as statistics
        using (date, statistic_id)
)

select
    date,
    subject,
    'Conversions belong to no statistic.' as finding,
    '0' as expected,
    count(*) as actual
from lone
group by date, subject;
