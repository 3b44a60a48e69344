-- severity: warn
-- stream: events
-- scope: incremental
-- depends_on: statistics, events
-- lookback: 28 days
-- meaning: Events name a campaign or user journey that the daily statistics of that day and of the four weeks before
--   lack, so it has no name here. It was deleted, sent nothing for weeks, or the service left it out.
-- Checks only days that are loaded together with the three days before, because old messages may still be opened.

with near_days as (from days_before(28)),

days_to_compare as (
    select near_days.date
    from near_days
    semi join ops.coverage on coverage.stream = 'statistics' and near_days.near_date = coverage.date
    where near_days.step <= 3
    group by near_days.date
    having count(*) = 4
),

known as (
    select distinct date, coalesce(campaign_id, user_journey_id) as sender
    from daily_statistics
    where date in (select near_date from near_days)
),

seen as (
    select date, nullif(coalesce(campaign_id, user_journey_id), '') as sender, count(*) as records
    from events
    semi join days_to_compare using (date)
    where sender is not null
    group by all
)

select
    seen.date,
    seen.sender as subject,
    'Events name a campaign or user journey that the daily statistics lack.' as finding,
    '0' as expected,
    seen.records as actual
from seen
anti join known on seen.sender = known.sender and known.date between seen.date - 28 and seen.date;
