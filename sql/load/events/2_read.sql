-- E21: the records on pages, each read as the list of fields says: scalars as text, message and metadata as JSON. Its keys are
-- kept too, so that none goes unseen. A page that is not an answer with records stops the load by its name: nothing of it can
-- be told apart.

-- As a rule every record has the keys of the first one, in their order. What is unknown among them is unknown in all.
set variable reference_keys = null;
set variable reference_keys = (
    select if(len(list_distinct(json_keys(data[1]))) = len(json_keys(data[1])), json_keys(data[1]), null)
    from read_json(
        getvariable('files')[1],
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON[]'},
        maximum_object_size = getvariable('largest_object')
    )
    limit 1
);
set variable unknown_keys = list_filter(
    coalesce(getvariable('reference_keys')::varchar[], []),
    lambda key: not list_contains(getvariable('record_fields')::varchar[], key)
);
set variable unknown_pointers = list_transform(getvariable('unknown_keys')::varchar[], lambda key: pointer(key));

insert into staged by name
with pages as (
    select
        map_extract_value(map(getvariable('paths'), getvariable('path_days')), filename)::date as export_date,
        case
            when status = 'success' and data is not null then data
            else error('not a page of records: ' || filename)
        end as records
    from read_json(
        getvariable('files'),
        format = 'unstructured',
        records = true,
        columns = {status: 'VARCHAR', data: 'JSON[]'},
        maximum_object_size = getvariable('largest_object'),
        filename = true
    )
),

unfolded as (
    select export_date, unnest(records) as record
    from pages
),

read as (
    select
        export_date,
        record,
        json_transform(record, shape('record')) as r,
        coalesce(starts_with(record, '{') and json_keys(record) = getvariable('reference_keys')::varchar[], false) as has_reference_shape,
        case
            when has_reference_shape then false
            when not coalesce(starts_with(record, '{'), false) then true
            else not list_has_all(getvariable('record_fields')::varchar[], json_keys(record))
        end as has_unknown_keys
    from unfolded
),

typed as (
    select
        *,
        epoch(r.time) as micros,
        case
            when not says_nothing(r.channel_metadata)
            then json_extract(r.channel_metadata, ['/channel_subtype', '/brand_message_target'])
        end as metadata_values,
        unwrapped(r.message_data) as given_message,
        is_nested(r.id, record, 'id') as nested_id,
        is_nested(r.user_id, record, 'user_id') as nested_user_id,
        is_nested(r[getvariable('brand') || '_user_id'], record, getvariable('brand') || '_user_id') as nested_service_user_id,
        is_nested(r.device_id, record, 'device_id') as nested_device_id,
        is_nested(r[getvariable('brand') || '_device_id'], record, getvariable('brand') || '_device_id') as nested_service_device_id,
        is_nested(r.channel, record, 'channel') as nested_channel,
        is_nested(r.event_name, record, 'event_name') as nested_event_name,
        is_nested(r.failure_reason, record, 'failure_reason') as nested_failure_reason,
        is_nested(r.resource_title, record, 'resource_title') as nested_resource_title,
        is_nested(r.resource_type, record, 'resource_type') as nested_resource_type,
        is_nested(r.campaign_id, record, 'campaign_id') as nested_campaign_id,
        is_nested(r.experiment_group_name, record, 'experiment_group_name') as nested_experiment_group_name,
        is_nested(r.user_journey_id, record, 'user_journey_id') as nested_user_journey_id,
        is_nested(r.user_journey_node_id, record, 'user_journey_node_id') as nested_user_journey_node_id,
        has_unknown_keys
        or nested_id
        or nested_user_id
        or nested_service_user_id
        or nested_device_id
        or nested_service_device_id
        or nested_channel
        or nested_event_name
        or nested_failure_reason
        or nested_resource_title
        or nested_resource_type
        or nested_campaign_id
        or nested_experiment_group_name
        or nested_user_journey_id
        or nested_user_journey_node_id
        or is_nonconforming_metadata(r.channel_metadata)
        -- No time that can be read.
        or (r.time is not null and micros is null) as nonconforming
    from read
),

named as (
    select
        if(nested_id, null, r.id) as event_id,
        if(nested_user_id, null, r.user_id) as user_id,
        if(nested_service_user_id, null, r[getvariable('brand') || '_user_id']) as service_user_id,
        if(nested_device_id, null, r.device_id) as device_id,
        if(nested_service_device_id, null, r[getvariable('brand') || '_device_id']) as service_device_id,
        neutral_channel(if(nested_channel, null, r.channel)) as channel,
        if(nested_event_name, null, r.event_name) as event_name,
        if(nested_failure_reason, null, r.failure_reason) as failure_reason,
        if(nested_resource_title, null, r.resource_title) as resource_title,
        replace(if(nested_resource_type, null, r.resource_type), '_', '-') as resource_type,
        if(nested_campaign_id, null, r.campaign_id) as campaign_id,
        if(nested_experiment_group_name, null, r.experiment_group_name) as experiment_group_name,
        if(nested_user_journey_id, null, r.user_journey_id) as user_journey_id,
        if(nested_user_journey_node_id, null, r.user_journey_node_id) as user_journey_node_id,
        make_timestamptz(micros) as occurred_at,
        counted_day(micros, export_date) as date,
        scalar(metadata_values[1]) as channel_subtype,
        scalar(metadata_values[2]) as brand_message_target,
        export_date,
        case
            when nonconforming or not has_reference_shape or len(getvariable('unknown_keys')::varchar[]) = 0 then null
            else members_of(getvariable('unknown_keys')::varchar[], json_extract(record, getvariable('unknown_pointers')::varchar[]))
        end as extra,
        if(nonconforming, coalesce(record, 'null'::json), null) as rest,
        if(given_message in ('{}', 'null', '""'), null, given_message) as message
    from typed
),

quoted as (
    select
        *,
        '"' || concat_ws(
            '""',
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
        ) || '"' as texts
    from named
)

select
    * exclude (texts),
    case when may_be_personal(texts) then may_be_personal(without_ids(texts)) else false end as is_candidate,
    case
        when message is null then null
        when not starts_with(message, '{') then 'other'
        when channel in (
            'text-message', 'email', 'chatapp-friendtalk', 'chatapp-alimtalk',
            'chatapp-brand-message', 'in-app-message', 'in-web-message',
            'push-notification', 'web-push-notification', 'webhook'
        )
        then channel
        else 'other'
    end as carries
from quoted;

-- Whether anything is nonconforming, whether a field may hold an address or a number, and which messages there are (names of the list
-- above).
select
    count(rest) > 0 as nonconforming,
    coalesce(bool_or(is_candidate), false) as personal,
    coalesce(list(distinct carries) filter (carries <> 'other'), []) as carries
from staged;
