-- A campaign's day belongs to the latest pull that holds it: one that asked for that campaign and day, or a complete
-- one of that day, which knows the campaign has nothing there. Older pulls that are loaded later change nothing.

create or replace temp table later as
select campaign_collections.campaign_id, days_of_window.date
from campaign_collections
cross join lateral (
    select unnest(
        generate_series(
            korean_day(epoch_us(window_start)),
            korean_day(epoch_us(window_end) - 1),
            interval 1 day
        )
    )::date as date
) as days_of_window
where
    (campaign_collections.pulled_at, campaign_collections.pull) > (getvariable('pulled_at'), getvariable('pull'))
    and days_of_window.date between getvariable('first_day') and getvariable('last_day');

create or replace temp table free_days as
select campaign_id, days.date
from (
    select distinct campaign_id from campaign_metrics
    union
    select campaign_id from staged_answers
) as campaigns
cross join days
anti join later using (campaign_id, date)
-- What an incomplete pull does not hold, it does not replace.
where
    getvariable('complete')
    or exists (
        select 1
        from staged_answers
        where staged_answers.campaign_id = campaigns.campaign_id and days.date between staged_answers.first_date and staged_answers.last_date
    );

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
