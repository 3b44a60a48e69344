-- The subject of a changed counter: a statistic that vanished has no row of its own any more.
alter table ops.restatements add column resource_type varchar;
alter table ops.restatements add column campaign_id varchar;
alter table ops.restatements add column variant_id varchar;
alter table ops.restatements add column user_journey_id varchar;
alter table ops.restatements add column user_journey_node_id varchar;
alter table ops.restatements add column channel varchar;

update ops.restatements set
    resource_type = daily_statistics.resource_type,
    campaign_id = daily_statistics.campaign_id,
    variant_id = daily_statistics.variant_id,
    user_journey_id = daily_statistics.user_journey_id,
    user_journey_node_id = daily_statistics.user_journey_node_id,
    channel = daily_statistics.channel
from daily_statistics
where restatements.date = daily_statistics.date and restatements.statistic_id = daily_statistics.statistic_id;
