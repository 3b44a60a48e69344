-- severity: warn
-- stream: events
-- scope: incremental
-- depends_on: events
-- meaning: One person has most of the clicks of a campaign or user journey on that day, and at least 100. A script or a test device may have
--   clicked. The click rate of the campaign shows this person, not the others; compare people instead (clicker_share).

select
    date,
    coalesce(campaign_id, user_journey_id) as subject,
    'One person has most of the clicks.' as finding,
    (sum(clicked) - max(clicked))::varchar as expected,
    max(clicked)::varchar as actual
from marts.daily_people
where date in (select date from batch_days) and coalesce(campaign_id, user_journey_id) is not null
group by date, subject
having max(clicked) >= 100 and max(clicked) > 0.5 * sum(clicked);
