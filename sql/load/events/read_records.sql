-- The fields of the records, each looked at for what the specification does not know.

create or replace temp view fields_of_records as
with transformed as (
    select record, extra, json_transform(record, shape('record')) as r
    from records
)

select
    {
        id: r.id,
        user_id: r.user_id,
        service_user_id: struct_extract(r, getvariable('brand') || '_user_id'),
        device_id: r.device_id,
        service_device_id: struct_extract(r, getvariable('brand') || '_device_id'),
        channel: r.channel,
        event_name: r.event_name,
        failure_reason: r.failure_reason,
        resource_title: r.resource_title,
        resource_type: r.resource_type,
        campaign_id: r.campaign_id,
        experiment_group_name: r.experiment_group_name,
        user_journey_id: r.user_journey_id,
        user_journey_node_id: r.user_journey_node_id,
        time: r.time,
        message_data: r.message_data::varchar,
        channel_metadata: r.channel_metadata::varchar
    } as r,
    extra,
    case
        when
            is_odd(record, 'record')
            or is_odd(r.channel_metadata, 'channel_metadata')
            or (r.time is not null and epoch(r.time) is null)
        then record
    end as odd_record
from transformed;
