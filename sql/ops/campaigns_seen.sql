select distinct campaign_id
from daily_statistics
where campaign_id is not null and date between getvariable('first_day') and getvariable('last_day')
order by campaign_id;
