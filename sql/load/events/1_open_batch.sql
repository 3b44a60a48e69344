-- A connection that prepares batches has its own in-memory database for its tables, and uses the macros of the
-- warehouse. The load's own transaction never reads from this database, or it would keep all batches in memory until
-- its end.

attach if not exists ':memory:' as {batch};
set search_path = '{batch}.main,{home}.macros';

-- One row per record: the columns of `events`, and the message as it came.
create or replace table staged (
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
    -- Whether a field before this column may hold a number or an address.
    is_candidate boolean,
    extra json,
    -- The table of the message; `other` for channels and forms that the specification does not know.
    carries varchar,
    message json
);
