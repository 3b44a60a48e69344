-- severity: stop
-- stream: statistics
-- Every row of the daily statistics has an id of its own.

with ids as (
    select 'daily_statistics' as subject, statistic_id from daily_statistics
    union all
    select 'daily_statistics_by_subchannel', statistic_id from daily_statistics_by_subchannel
)

select
    null as date,
    subject,
    'A statistic stands there more than once: ' || coalesce(statistic_id, 'without an id') as finding,
    '1' as expected,
    count(*) as actual
from ids
group by subject, statistic_id
having count(*) > 1 or statistic_id is null;
