-- severity: stop
-- scope: incremental
-- depends_on: statistics, statistics_by_subchannel, campaigns
-- meaning: Conversions belong to no row of the daily statistics, or values by dimension to no metric of that campaign and
--   day, so joins lose them. Run `dawnload rebuild`; report it if it persists.

select date, 'daily_conversions' as subject, 'Conversions belong to no statistic.' as finding, '0' as expected, count(*) as actual
from (from daily_conversions semi join batch_days using (date))
anti join (from daily_statistics semi join batch_days using (date)) as statistics using (date, statistic_id)
group by date
union all
select date, 'daily_conversions_by_subchannel', 'Conversions belong to no statistic.', '0', count(*)
from (from daily_conversions_by_subchannel semi join batch_days using (date))
anti join (from daily_statistics_by_subchannel semi join batch_days using (date)) as statistics using (date, statistic_id)
group by date
union all
select
    dimensions.date,
    coalesce(dimensions.campaign_id, 'without a campaign'),
    'Values by dimension belong to no metric.',
    '0',
    count(*)
from (from campaign_metric_dimensions semi join batch_days using (date)) as dimensions
anti join (from campaign_metrics semi join batch_days using (date)) as metrics
    on
        dimensions.date = metrics.date
        and dimensions.campaign_id is not distinct from metrics.campaign_id
        and dimensions.metric_type is not distinct from metrics.metric_type
        and dimensions.metric_name is not distinct from metrics.metric_name
        and dimensions.conversion_type is not distinct from metrics.conversion_type
group by dimensions.date, dimensions.campaign_id;
