-- severity: stop
-- stream: campaigns
-- scope: incremental
-- meaning: Values by dimension belong to no metric of that campaign and day, so joins lose them. Run `dawnload
--   rebuild`; report it if it persists.

select
    dimensions.date,
    coalesce(dimensions.campaign_id, 'without a campaign') as subject,
    'Values by dimension belong to no metric.' as finding,
    '0' as expected,
    count(*) as actual
from (from campaign_metric_dimensions semi join batch_days using (date)) as dimensions
anti join (from campaign_metrics semi join batch_days using (date)) as metrics
    on
        dimensions.date = metrics.date
        and dimensions.campaign_id is not distinct from metrics.campaign_id
        and dimensions.metric_type is not distinct from metrics.metric_type
        and dimensions.metric_name is not distinct from metrics.metric_name
        and dimensions.conversion_type is not distinct from metrics.conversion_type
group by dimensions.date, dimensions.campaign_id;
