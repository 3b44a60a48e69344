-- The possible values of parameters of the bundled queries.

-- name: campaigns
select campaign_id as value, campaign_name as name
from campaigns
union all
select user_journey_id, user_journey_name
from user_journeys;

-- name: channels
select distinct channel as value, null::varchar as name
from (
    select channel from daily_statistics
    union all
    select channel from daily_statistics_by_subchannel
    union all
    select channel from marts.daily_events
)
where channel is not null;

-- name: goals
select distinct goal as value, null::varchar as name
from marts.goals;

-- name: journeys
select user_journey_id as value, user_journey_name as name
from user_journeys;

-- name: numbers
select distinct unsubscribe_number as value, null::varchar as name
from opt_outs_history
where unsubscribe_number is not null;

-- name: tags
select distinct tag as value, null::varchar as name
from campaign_tags;

-- name: templates
select distinct template as value, null::varchar as name
from (
    select template from marts.template_versions
    union all
    select template from marts.daily_templates
)
where template is not null;
