-- The day of each row. Days of incomplete pulls have rows although they are not covered.
select 'campaigns' as stream, campaign_metrics.date
from campaign_metrics
semi join ops.coverage on coverage.stream = 'campaigns' and campaign_metrics.date = coverage.date;
