delete from campaign_days where (campaign_id, date) in (select (campaign_id, date) from held_sizes);

create or replace temp table free_days as
select campaign_id, date, arg_max(pull, {pulled_at: pulled_at, pull: pull}) as pull
from campaign_days
group by campaign_id, date;

delete from ops.held_back
using free_days
where
    held_back.stream = 'campaigns'
    and held_back.campaign_id = free_days.campaign_id
    and held_back.date = free_days.date
    and held_back.pulled_at < (select asked.pulled_at from asked where asked.pull = free_days.pull);

delete from campaign_metrics
where (campaign_id, date) in (select (campaign_id, date) from free_days);

delete from campaign_metric_dimensions
where (campaign_id, date) in (select (campaign_id, date) from free_days);

insert into campaign_metrics by name
select staged_dailies.* exclude (first_date, last_date, dimensions)
from staged_dailies
semi join free_days using (pull, campaign_id, date)
where staged_dailies.date between staged_dailies.first_date and staged_dailies.last_date;

insert into campaign_metric_dimensions by name
select staged_dimensions.* exclude (first_date, last_date)
from staged_dimensions
semi join free_days using (pull, campaign_id, date)
where staged_dimensions.date between staged_dimensions.first_date and staged_dimensions.last_date;

insert into campaign_metric_totals by name
select staged_metrics.* exclude (first_date, last_date, dailies)
from staged_metrics
semi join first_days using (pull);

insert into campaign_collections by name
select staged_answers.* exclude (first_date, last_date, stats), asked.pulled_at, len(stats) as metrics
from staged_answers
inner join asked using (pull)
semi join first_days using (pull);

insert into loaded_rows
select staged_dailies.pull, count(*)
from staged_dailies
semi join campaign_days using (pull, campaign_id, date)
where staged_dailies.date between staged_dailies.first_date and staged_dailies.last_date
group by staged_dailies.pull;

insert into ops.load_notes by name
with odd as (
    select
        pull,
        -- A note must be on a day of the pull, so the given day is moved into the pull's range.
        coalesce(least(greatest(staged_dailies.date, asked.first_day), asked.last_day), asked.first_day) as noted_on,
        staged_dailies.date as given_date,
        campaign_id
    from staged_dailies
    inner join asked using (pull)
    where
        staged_dailies.date is null
        or staged_dailies.date not between staged_dailies.first_date and staged_dailies.last_date
)

select
    'campaigns' as stream,
    noted_on as date,
    odd.pull,
    if(given_date is null, 'undated', 'outside_range') as note,
    campaign_id as subject,
    count(*) as records
from odd
inner join days on odd.pull = days.pull and odd.noted_on = days.date
group by all;

create or replace temp table extras as
with found as (
    select 'answer' as place, pull, null::date as date, extra from staged_answers
    union all
    select 'metric', pull, null, extra from staged_metrics
    union all
    select 'daily', pull, date, extra from staged_dailies
    union all
    select 'dimension', pull, date, extra from staged_dimensions
),

dated as (
    select
        found.place,
        found.pull,
        if((found.pull, found.date) in (select (pull, date) from versions), found.date, first_days.date) as date,
        found.extra
    from found
    inner join first_days using (pull)
    where found.extra is not null
)

select place, date, extra
from dated
semi join days using (pull, date);

-- An incomplete pull covers no day, but may change the row count of covered days.

update ops.coverage
set rows = (select count(*) from campaign_metrics where campaign_metrics.date = coverage.date)
where not getvariable('load').complete and stream = 'campaigns' and date in (select date from days);
