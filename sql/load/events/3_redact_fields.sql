-- Removes addresses and numbers from the fields of records; few records have any.

-- Collects the fields in one table first: the regular expressions are prepared once for each chunk of a table.
create or replace temp table candidate_fields as
select rowid as row_id, * exclude (message)
from staged
where is_candidate;

create or replace temp table redacted_fields as
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
        lambda field: redacted_field(field)
    ) as fields
from candidate_fields;

update staged
set
    event_id = redacted_fields.fields[1],
    user_id = redacted_fields.fields[2],
    service_user_id = redacted_fields.fields[3],
    device_id = redacted_fields.fields[4],
    service_device_id = redacted_fields.fields[5],
    channel = redacted_fields.fields[6],
    event_name = redacted_fields.fields[7],
    failure_reason = redacted_fields.fields[8],
    resource_title = redacted_fields.fields[9],
    resource_type = redacted_fields.fields[10],
    campaign_id = redacted_fields.fields[11],
    experiment_group_name = redacted_fields.fields[12],
    user_journey_id = redacted_fields.fields[13],
    user_journey_node_id = redacted_fields.fields[14],
    channel_subtype = redacted_fields.fields[15],
    brand_message_target = redacted_fields.fields[16]
from redacted_fields
where staged.rowid = redacted_fields.row_id;
