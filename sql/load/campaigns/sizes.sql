-- Of the campaigns that were asked for: days that have rows and would be left with none.

create or replace temp table sizes as
with held as (
    select campaign_id, date, count(*) as rows
    from campaign_metrics
    where
        (campaign_id, date) in (select (campaign_id, date) from free_days)
        and campaign_id in (select campaign_id from staged_answers)
    group by campaign_id, date
),

given as (
    select campaign_id, date, count(*) as rows
    from staged_dailies
    where date between first_date and last_date
    group by campaign_id, date
)

select
    held.date,
    held.campaign_id,
    held.rows as rows_before,
    0::bigint as messages_before,
    coalesce(given.rows, 0) as rows,
    0::bigint as messages
from held
left join given on held.campaign_id = given.campaign_id and held.date = given.date;
