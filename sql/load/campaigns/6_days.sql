-- A campaign's day belongs to the latest pull that covers it: a pull that requested this campaign and day, or a
-- complete pull of the day without the campaign, which shows that it has no rows. Loading an older pull later changes
-- nothing.

create or replace temp table later as
select campaign_collections.campaign_id, days_of_window.date, campaign_collections.pulled_at, campaign_collections.pull
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
    campaign_collections.pulled_at >= (select min(pulled_at) from asked)
    and days_of_window.date between getvariable('load').first_day and getvariable('load').last_day;

create or replace temp table campaign_days as
select campaigns.campaign_id, versions.date, versions.pull, versions.pulled_at
from (
    select distinct campaign_id from campaign_metrics
    union
    select campaign_id from staged_answers
) as campaigns
cross join versions
left join later
    on
        campaigns.campaign_id = later.campaign_id
        and versions.date = later.date
        and (later.pulled_at, later.pull) > (versions.pulled_at, versions.pull)
-- An incomplete pull replaces only the days that it holds.
where
    later.date is null
    and (
        (
            getvariable('load').complete
            -- A campaign that is deleted at the service keeps its rows.
            and (versions.pull, campaigns.campaign_id) not in (
                select (unnest(getvariable('landed').gone_pulls), unnest(getvariable('landed').gone_campaigns))
            )
        )
        or exists (
            select 1
            from staged_answers
            where
                staged_answers.pull = versions.pull
                and staged_answers.campaign_id = campaigns.campaign_id
                and versions.date between staged_answers.first_date and staged_answers.last_date
        )
    );

-- Compares the rows of a campaign in each pull with the rows that they would replace: a day that would become empty is
-- held back.

create or replace temp table sizes as
with there as (
    select campaign_id, date, count(*) as rows
    from campaign_metrics
    where (campaign_id, date) in (select (campaign_id, date) from campaign_days)
    group by campaign_id, date
),

given as (
    select pull, campaign_id, date, count(*) as rows
    from staged_dailies
    where date between first_date and last_date
    group by pull, campaign_id, date
),

steps as (
    select
        campaign_days.date,
        campaign_days.campaign_id,
        campaign_days.pull,
        campaign_days.pulled_at,
        coalesce(given.rows, 0) as rows,
        0::bigint as messages,
        coalesce(lag(coalesce(given.rows, 0)) over by_version, there.rows) as rows_before,
        0::bigint as messages_before
    from campaign_days
    left join given using (pull, campaign_id, date)
    left join there on campaign_days.campaign_id = there.campaign_id and campaign_days.date = there.date
    window by_version as (
        partition by campaign_days.campaign_id, campaign_days.date
        order by campaign_days.pulled_at, campaign_days.pull
    )
)

select *
from steps
semi join staged_answers using (pull, campaign_id)
where rows_before is not null;
