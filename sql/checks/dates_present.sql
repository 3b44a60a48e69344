-- severity: stop
-- scope: full
-- meaning: Rows have no day, so no question about days finds them. Run `dawnload rebuild`; report it if it persists.
-- DuckDB records for each block of rows whether it has nulls, so this check reads almost nothing.

with undated as (
    select 'daily_statistics' as subject from daily_statistics where date is null
    union all
    select 'daily_conversions' from daily_conversions where date is null
    union all
    select 'daily_statistics_by_subchannel' from daily_statistics_by_subchannel where date is null
    union all
    select 'daily_conversions_by_subchannel' from daily_conversions_by_subchannel where date is null
    union all
    select 'campaign_metrics' from campaign_metrics where date is null
    union all
    select 'campaign_metric_dimensions' from campaign_metric_dimensions where date is null
    union all
    select 'events' from events where date is null
    union all
    select 'events' from events where export_date is null
    union all
    select subject from message_rows where date is null
    union all
    select subject from message_rows where export_date is null
)

select
    null as date,
    subject,
    'Rows have no day.' as finding,
    '0' as expected,
    count(*) as actual
from undated
group by subject;
