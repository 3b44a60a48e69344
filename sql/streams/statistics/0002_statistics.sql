-- The daily statistics (E17), and those by sub-channel (E18).

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

create table daily_conversions (
    statistic_id varchar,
    date date,
    name varchar,
    type varchar,
    count bigint,
    position integer,
    extra json
);

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

create table daily_conversions_by_subchannel (
    statistic_id varchar,
    date date,
    name varchar,
    type_label varchar,
    count bigint,
    position integer,
    extra json
);
