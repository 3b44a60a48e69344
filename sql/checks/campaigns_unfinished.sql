-- severity: warn
-- stream: campaigns
-- scope: full
-- depends_on: campaigns, statistics
-- meaning: The service had collected the detailed statistics of a campaign (lastCollectedAt) before the day was over, so the
--   day's figures are too low. The next run requests the day again.

select
    date,
    campaign_id as subject,
    'The figures of the day were collected before it was over.' as finding,
    'after ' || date as expected,
    strftime(last_collected_at at time zone 'Asia/Seoul', '%Y-%m-%d %H:%M') as actual
from ops.unfinished_campaigns;
