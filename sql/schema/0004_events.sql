-- Campaign event exports: E21.

-- Ids hardly repeat: naming the method that suits them saves DuckDB from trying the others on each of them, a quarter of
-- the time that the table takes to load.
create table events (
    event_id varchar using compression fsst,
    user_id varchar using compression fsst,
    service_user_id varchar using compression fsst,
    device_id varchar using compression fsst,
    service_device_id varchar using compression fsst,
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
comment on table events is 'Campaign events (E21): one row per export record, that is per id, event name and time.';
comment on column events.event_id is 'Id of the record. The message tables refer to it.';
comment on column events.user_id is 'User, by the id that the customer gave.';
comment on column events.service_user_id is 'User, by the id of the service.';
comment on column events.device_id is 'Device, by the id that the customer gave.';
comment on column events.service_device_id is 'Device, by the id of the service.';
comment on column events.channel is 'Neutral channel name with hyphens, such as push-notification or chatapp-alimtalk.';
comment on column events.event_name is 'What happened, such as send_success or push_click; an open vocabulary.';
comment on column events.failure_reason is 'Why a send failed; null otherwise.';
comment on column events.resource_title is 'Title of the campaign or user journey.';
comment on column events.resource_type is 'campaign or user-journey.';
comment on column events.campaign_id is 'Campaign; null for user journeys.';
comment on column events.experiment_group_name is 'Group of an A/B test; null otherwise.';
comment on column events.user_journey_id is 'User journey; null for campaigns.';
comment on column events.user_journey_node_id is 'Node of the user journey.';
comment on column events.occurred_at is 'When it happened, to the microsecond; null if the service gave no readable time.';
comment on column events.date is 'KST day on which it happened; the day of the export if the time is not known.';
comment on column events.channel_subtype is 'Finer kind of the channel, as given.';
comment on column events.brand_message_target is 'Target of a brand message, as given.';
comment on column events.export_date is 'KST day of the export that the record came with; differs from date only for strays.';
comment on column events.extra is 'Fields outside the specification, and values that did not fit, as given.';

create table ops.set_aside (
    table_name varchar,
    event_id varchar,
    event_name varchar,
    occurred_at timestamptz,
    date date,
    export_date date,
    content json
);
comment on table ops.set_aside is 'Rows of events and message tables that another export holds too; they come back if that one is replaced without them.';
comment on column ops.set_aside.table_name is 'Table that the row would stand in.';
comment on column ops.set_aside.event_id is 'Id of the record.';
comment on column ops.set_aside.event_name is 'Event name of the record; null for rows of message tables.';
comment on column ops.set_aside.occurred_at is 'Time of the record; null for rows of message tables.';
comment on column ops.set_aside.date is 'KST day on which the event happened.';
comment on column ops.set_aside.export_date is 'KST day of the export that the row came with.';
comment on column ops.set_aside.content is 'The row itself.';
