-- The records' own fields without addresses and numbers. Few records have any.

-- First all of them in one place: the regular expressions are made ready once for each piece of a table.
create or replace temp table suspect_fields as
select rowid as row_id, * exclude (rest, message)
from staged
where is_suspect;

create or replace temp table hidden_ones as
select
    row_id,
    list_transform(
        [
            event_id,
            user_id,
            service_user_id,
            device_id,
            service_device_id,
            channel,
            event_name,
            failure_reason,
            resource_title,
            resource_type,
            campaign_id,
            experiment_group_name,
            user_journey_id,
            user_journey_node_id,
            channel_subtype,
            brand_message_target
        ],
        lambda field: hidden_field(field)
    ) as fields
from suspect_fields;

update staged
set
    event_id = hidden_ones.fields[1],
    user_id = hidden_ones.fields[2],
    service_user_id = hidden_ones.fields[3],
    device_id = hidden_ones.fields[4],
    service_device_id = hidden_ones.fields[5],
    channel = hidden_ones.fields[6],
    event_name = hidden_ones.fields[7],
    failure_reason = hidden_ones.fields[8],
    resource_title = hidden_ones.fields[9],
    resource_type = hidden_ones.fields[10],
    campaign_id = hidden_ones.fields[11],
    experiment_group_name = hidden_ones.fields[12],
    user_journey_id = hidden_ones.fields[13],
    user_journey_node_id = hidden_ones.fields[14],
    channel_subtype = hidden_ones.fields[15],
    brand_message_target = hidden_ones.fields[16]
from hidden_ones
where staged.rowid = hidden_ones.row_id;
