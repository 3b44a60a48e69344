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
-- What an incomplete pull does not hold, it does not replace; nor does any pull what the service has deleted.
where
    (getvariable('complete') and not list_contains(getvariable('gone'), campaigns.campaign_id))
    or exists (
        select 1
        from staged_answers
        where staged_answers.campaign_id = campaigns.campaign_id and days.date between staged_answers.first_date and staged_answers.last_date
    );
