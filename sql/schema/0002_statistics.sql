-- Daily statistics: E17, and the CSV-oriented variant E18.

create table daily_statistics (
    statistic_id varchar,
    date date,
    resource_type varchar,
    campaign_id varchar,
    campaign_name varchar,
    variant_id varchar,
    variant_name varchar,
    user_journey_id varchar,
    user_journey_name varchar,
    user_journey_node_id varchar,
    user_journey_node_name varchar,
    channel varchar,
    tags varchar[],
    message json,
    message_sent bigint,
    message_failed bigint,
    delivered bigint,
    click bigint,
    ordinal integer,
    extra json
);
comment on table daily_statistics is 'Daily counts (E17): one row per KST day, campaign or user journey, variant or node, and channel.';
comment on column daily_statistics.statistic_id is 'Stable id of the row: a hash of its day, resource, variant or node, and channel.';
comment on column daily_statistics.date is 'KST day on which the counted events occurred.';
comment on column daily_statistics.resource_type is 'campaign or user-journey.';
comment on column daily_statistics.campaign_id is 'Campaign; null for user journeys.';
comment on column daily_statistics.campaign_name is 'Name of the campaign on that day.';
comment on column daily_statistics.variant_id is 'Variant of an A/B test; null otherwise.';
comment on column daily_statistics.variant_name is 'Name of the variant.';
comment on column daily_statistics.user_journey_id is 'User journey; null for campaigns.';
comment on column daily_statistics.user_journey_name is 'Name of the user journey on that day.';
comment on column daily_statistics.user_journey_node_id is 'Node of the user journey that sent the message.';
comment on column daily_statistics.user_journey_node_name is 'Name of the node.';
comment on column daily_statistics.channel is 'Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.';
comment on column daily_statistics.tags is 'Tags of the campaign.';
comment on column daily_statistics.message is 'Content of the message; its structure differs by channel.';
comment on column daily_statistics.message_sent is 'Attempted sends, failed ones included.';
comment on column daily_statistics.message_failed is 'Failed sends.';
comment on column daily_statistics.delivered is 'Deliveries; null where the channel does not report them.';
comment on column daily_statistics.click is 'Clicks; null where the channel does not report them.';
comment on column daily_statistics.ordinal is '1, or counted on where the service gave the same grain more than once.';
comment on column daily_statistics.extra is 'Fields outside the specification, and values that did not fit, as given.';

create table daily_conversions (
    statistic_id varchar,
    date date,
    name varchar,
    type varchar,
    count bigint,
    position integer,
    extra json
);
comment on table daily_conversions is 'Conversions of daily_statistics (E17): one row per statistic and conversion.';
comment on column daily_conversions.statistic_id is 'The row of daily_statistics that it belongs to.';
comment on column daily_conversions.date is 'KST day, as in that row.';
comment on column daily_conversions.name is 'Name of the conversion.';
comment on column daily_conversions.type is 'total_count_conversion or direct_count_conversion.';
comment on column daily_conversions.count is 'How many.';
comment on column daily_conversions.position is 'Place in the list of the statistic, from 1.';
comment on column daily_conversions.extra is 'Fields outside the specification, and values that did not fit, as given.';

create table daily_statistics_by_subchannel (
    statistic_id varchar,
    date date,
    resource_type varchar,
    resource_id varchar,
    resource_name varchar,
    node_id varchar,
    node_name varchar,
    variant_id varchar,
    variant_name varchar,
    channel varchar,
    channel_sub varchar,
    brand_message_target varchar,
    tags varchar[],
    message_sent bigint,
    message_failed bigint,
    delivered bigint,
    click bigint,
    ordinal integer,
    extra json
);
comment on table daily_statistics_by_subchannel is 'Daily counts (E18): one row per KST day, resource, variant or node, channel, sub-channel and target.';
comment on column daily_statistics_by_subchannel.statistic_id is 'Stable id of the row: a hash of its grain. Not the ids of daily_statistics.';
comment on column daily_statistics_by_subchannel.date is 'KST day that was asked for.';
comment on column daily_statistics_by_subchannel.resource_type is 'campaign or user-journey, where the service says so.';
comment on column daily_statistics_by_subchannel.resource_id is 'Campaign or user journey.';
comment on column daily_statistics_by_subchannel.resource_name is 'Its name on that day.';
comment on column daily_statistics_by_subchannel.node_id is 'Node of a user journey; null for campaigns.';
comment on column daily_statistics_by_subchannel.node_name is 'Name of the node (the service spells the field node_mane).';
comment on column daily_statistics_by_subchannel.variant_id is 'Variant of an A/B test; null otherwise.';
comment on column daily_statistics_by_subchannel.variant_name is 'Name of the variant.';
comment on column daily_statistics_by_subchannel.channel is 'Neutral channel name with hyphens.';
comment on column daily_statistics_by_subchannel.channel_sub is 'Sub-channel, as given.';
comment on column daily_statistics_by_subchannel.brand_message_target is 'Target of a brand message, as given.';
comment on column daily_statistics_by_subchannel.tags is 'Tags of the campaign.';
comment on column daily_statistics_by_subchannel.message_sent is 'Attempted sends, failed ones included.';
comment on column daily_statistics_by_subchannel.message_failed is 'Failed sends.';
comment on column daily_statistics_by_subchannel.delivered is 'Deliveries; null where the channel does not report them.';
comment on column daily_statistics_by_subchannel.click is 'Clicks; null where the channel does not report them.';
comment on column daily_statistics_by_subchannel.ordinal is '1, or counted on where the service gave the same grain more than once.';
comment on column daily_statistics_by_subchannel.extra is 'Fields outside the specification, and values that did not fit, as given.';

create table daily_conversions_by_subchannel (
    statistic_id varchar,
    date date,
    name varchar,
    type_label varchar,
    count bigint,
    position integer,
    extra json
);
comment on table daily_conversions_by_subchannel is 'Conversions of daily_statistics_by_subchannel (E18): one row per statistic and conversion.';
comment on column daily_conversions_by_subchannel.statistic_id is 'The row of daily_statistics_by_subchannel that it belongs to.';
comment on column daily_conversions_by_subchannel.date is 'KST day, as in that row.';
comment on column daily_conversions_by_subchannel.name is 'Name of the conversion.';
comment on column daily_conversions_by_subchannel.type_label is 'Type of the conversion as the service words it, in its own language.';
comment on column daily_conversions_by_subchannel.count is 'How many.';
comment on column daily_conversions_by_subchannel.position is 'Place in the list of the statistic, from 1.';
comment on column daily_conversions_by_subchannel.extra is 'Fields outside the specification, and values that did not fit, as given.';
