-- Exports of campaign events (E21).

create table events (
    event_id varchar,
    user_id varchar,
    service_user_id varchar,
    device_id varchar,
    service_device_id varchar,
    channel varchar,
    event_name varchar,
    failure_reason varchar,
    resource_title varchar,
    resource_type varchar,
    campaign_id varchar,
    experiment_group_name varchar,
    user_journey_id varchar,
    user_journey_node_id varchar,
    occurred_at timestamptz,
    date date,
    channel_subtype varchar,
    brand_message_target varchar,
    export_date date,
    extra json
);
