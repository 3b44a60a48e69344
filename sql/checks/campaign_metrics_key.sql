-- severity: warn
-- stream: campaigns
-- scope: incremental
-- meaning: The service gave more than one value for a metric of a campaign on one day, and sums over them count it more
--   than once. Compare with the daily statistics, and ask the service which value is right.

with all_values as (
    select 'campaign_metrics' as subject, campaign_id, metric_type, metric_name, conversion_type, date, null as dimension
    from campaign_metrics
    union all
    select
        'campaign_metric_dimensions',
        campaign_id,
        metric_type,
        metric_name,
        conversion_type,
        date,
        concat_ws(' ', dimension_key, dimension_value)
    from campaign_metric_dimensions
),

repeated as (
    select subject, date, campaign_id, metric_type, metric_name, conversion_type, count(*) as times
    from all_values
    semi join batch_days using (date)
    group by subject, date, campaign_id, metric_type, metric_name, conversion_type, dimension
    having count(*) > 1
)

select
    date,
    subject || ' ' || coalesce(campaign_id, 'without a campaign') as subject,
    'More than one value was given: ' || concat_ws(' ', metric_type, metric_name, conversion_type) as finding,
    '1' as expected,
    max(times) as actual
from repeated
group by date, subject, campaign_id, metric_type, metric_name, conversion_type;
