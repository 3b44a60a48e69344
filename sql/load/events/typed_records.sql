-- E21: records as rows, one each. A record that differs from the specification is kept beside its row, to be taken
-- apart by load/tidy and read once more.

create or replace temp macro typed_records(documents) as table
with read as (
    select record, extra, json_transform(record, shape('record')) as r
    from query_table(documents)
),

-- Some services wrap the message once more: a text that holds JSON.
unwrapped as (
    select
        record,
        extra,
        r,
        epoch(r.time) as micros,
        neutral_channel(r.channel) as channel,
        json_transform(r.channel_metadata, shape('channel_metadata')) as m,
        case
            when starts_with(r.message_data, '"')
            then case when json_valid(r.message_data ->> '$') then json(r.message_data ->> '$') else r.message_data end
            else r.message_data
        end as given_message
    from read
),

told as (
    select *, if(given_message in ('{}', 'null', '""'), null, given_message) as message
    from unwrapped
)

select
    r.id as event_id,
    r.user_id,
    struct_extract(r, getvariable('brand') || '_user_id') as service_user_id,
    r.device_id,
    struct_extract(r, getvariable('brand') || '_device_id') as service_device_id,
    channel,
    r.event_name,
    r.failure_reason,
    r.resource_title,
    replace(r.resource_type, '_', '-') as resource_type,
    r.campaign_id,
    r.experiment_group_name,
    r.user_journey_id,
    r.user_journey_node_id,
    make_timestamptz(micros) as occurred_at,
    coalesce(korean_day(micros), getvariable('first_day')) as date,
    m.channel_subtype,
    m.brand_message_target,
    getvariable('first_day') as export_date,
    extra,
    message,
    null::json as message_extra,
    -- Which table the message goes to; `other` for channels and forms that the specification does not know.
    case
        when message is null then null
        when not starts_with(message, '{') then 'other'
        when channel in (
            'text-message', 'email', 'chatapp-friendtalk', 'chatapp-alimtalk', 'chatapp-brand-message',
            'in-app-message', 'in-web-message', 'push-notification', 'web-push-notification', 'webhook'
        )
        then channel
        else 'other'
    end as carries,
    case
        when
            is_odd(record, 'record')
            or is_odd(r.channel_metadata, 'channel_metadata')
            or (r.time is not null and micros is null)
        then record
    end as odd_record
from told;
