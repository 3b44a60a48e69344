-- The days of campaigns that this pull replaces, as load/campaigns/free_days and keep_days left them.

delete from campaign_metrics
where (campaign_id, date) in (select (campaign_id, date) from free_days);

delete from campaign_metric_dimensions
where (campaign_id, date) in (select (campaign_id, date) from free_days);

insert into campaign_metrics by name
select staged_dailies.* exclude (row_id, odd, first_date, last_date, dimensions), getvariable('pull') as pull
from staged_dailies
inner join free_days using (campaign_id, date)
where staged_dailies.date between staged_dailies.first_date and staged_dailies.last_date;

insert into campaign_metric_dimensions by name
select staged_dimensions.* exclude (row_id, odd, first_date, last_date), getvariable('pull') as pull
from staged_dimensions
inner join free_days using (campaign_id, date)
where staged_dimensions.date between staged_dimensions.first_date and staged_dimensions.last_date;

insert into campaign_metric_totals by name
select * exclude (row_id, odd, first_date, last_date, dailies), getvariable('pull') as pull
from staged_metrics;

insert into campaign_collections by name
select
    * exclude (row_id, odd, first_date, last_date, stats),
    getvariable('pull') as pull,
    getvariable('pulled_at') as pulled_at,
    len(stats) as metrics
from staged_answers;
