-- severity: warn
-- stream: campaigns
-- A campaign has one value for a metric, conversion type and day.

select
    date,
    campaign_id as subject,
    'The service gives more than one value: ' || concat_ws(' ', metric_type, metric_name, conversion_type) as finding,
    '1' as expected,
    count(*) as actual
from campaign_metrics
group by campaign_id, metric_type, metric_name, conversion_type, date
having count(*) > 1;
