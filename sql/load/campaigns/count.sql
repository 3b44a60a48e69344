select count(*) as total
from campaign_metrics
where pull = getvariable('pull');
