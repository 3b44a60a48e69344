-- severity: stop
-- stream: statistics
-- scope: whole
-- means: A dimension has more than one row for one id, so that joins with it count twice; run `dawnload rebuild`, and
--   report it if it stays.
-- Dimensions are read from the daily statistics, which are few beside events.

with keys as (
    select 'campaigns' as subject, hash(campaign_id) as key from campaigns
    union all
    select 'campaign_variants', hash(campaign_id, variant_id) from campaign_variants
    union all
    select 'campaign_tags', hash(campaign_id, tag) from campaign_tags
    union all
    select 'user_journeys', hash(user_journey_id) from user_journeys
    union all
    select 'user_journey_nodes', hash(user_journey_id, user_journey_node_id) from user_journey_nodes
    union all
    select 'calendar', hash(date) from calendar
),

repeated as (
    select subject, count(*) - 1 as too_many
    from keys
    group by subject, key
    having count(*) > 1
)

select
    null as date,
    subject,
    'There is more than one row for one id.' as finding,
    '0' as expected,
    sum(too_many) as actual
from repeated
group by subject;
