-- The same pages in the one form that needs no second look at the JSON: lists of keys and values. It serves only when
-- every record has the same keys, all of them known, with values of the right kind; see are_records_plain.

create or replace temp view plain_records as
select map_keys(fields) as keys, map_values(fields) as given
from (
    select
        unnest(
            case
                when status = 'success' and data is not null then data
                else error('not a page of records: ' || filename)
            end
        ) as fields
    from read_json(
        getvariable('files'),
        format = 'unstructured',
        records = true,
        columns = {status: 'VARCHAR', data: 'MAP(VARCHAR, VARCHAR)[]'},
        maximum_object_size = getvariable('largest_object'),
        filename = true
    )
) as pages;

create or replace temp view fields_of_plain_records as
with named as (
    select
        keys,
        {
            id: given_field(given, 'id'),
            user_id: given_field(given, 'user_id'),
            service_user_id: given_field(given, getvariable('brand') || '_user_id'),
            device_id: given_field(given, 'device_id'),
            service_device_id: given_field(given, getvariable('brand') || '_device_id'),
            channel: given_field(given, 'channel'),
            event_name: given_field(given, 'event_name'),
            failure_reason: given_field(given, 'failure_reason'),
            resource_title: given_field(given, 'resource_title'),
            resource_type: given_field(given, 'resource_type'),
            campaign_id: given_field(given, 'campaign_id'),
            experiment_group_name: given_field(given, 'experiment_group_name'),
            user_journey_id: given_field(given, 'user_journey_id'),
            user_journey_node_id: given_field(given, 'user_journey_node_id'),
            time: given_field(given, 'time'),
            message_data: given_field(given, 'message_data'),
            channel_metadata: given_field(given, 'channel_metadata')
        } as r
    from plain_records
)

select
    r,
    null::json as extra,
    if(
        keys is distinct from getvariable('record_keys')
        or (r.time is not null and epoch(r.time) is null)
        or not starts_with(r.message_data, '{')
        or may_be_nested(r.id)
        or may_be_nested(r.user_id)
        or may_be_nested(r.service_user_id)
        or may_be_nested(r.device_id)
        or may_be_nested(r.service_device_id)
        or may_be_nested(r.channel)
        or may_be_nested(r.event_name)
        or may_be_nested(r.failure_reason)
        or may_be_nested(r.resource_title)
        or may_be_nested(r.resource_type)
        or may_be_nested(r.campaign_id)
        or may_be_nested(r.experiment_group_name)
        or may_be_nested(r.user_journey_id)
        or may_be_nested(r.user_journey_node_id),
        '{}',
        null
    )::json as odd_record
from named;
