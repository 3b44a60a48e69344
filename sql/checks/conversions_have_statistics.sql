-- severity: stop
-- stream: statistics
-- Every conversion belongs to a row of the daily statistics.

with lone as (
    select 'daily_conversions' as subject, daily_conversions.date
    from daily_conversions
    anti join daily_statistics using (statistic_id)

    union all
    select 'daily_conversions_by_subchannel', daily_conversions_by_subchannel.date
    from daily_conversions_by_subchannel
    anti join daily_statistics_by_subchannel using (statistic_id)
)

select
    date,
    subject,
    'Conversions belong to no statistic.' as finding,
    '0' as expected,
    count(*) as actual
from lone
group by date, subject;
