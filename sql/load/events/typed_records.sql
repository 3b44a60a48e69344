-- E21: the fields of records as rows, one each. `fields` is a relation of the columns r (a record's fields as text),
-- extra, and odd_record (the record itself where it has to be taken apart by load/tidy first).

create or replace temp macro typed_records(fields) as table
-- Some services wrap the message once more: a text that holds JSON.
with unwrapped as (
    select
        r,
        extra,
        odd_record,
        epoch(r.time) as micros,
        neutral_channel(r.channel) as channel,
        json_transform(r.channel_metadata, shape('channel_metadata')) as m,
        case
            when starts_with(r.message_data, '"')
            then case when json_valid(r.message_data ->> '$') then json(r.message_data ->> '$') else r.message_data end
            else r.message_data
        end as given_message
    from query_table(fields)
),

told as (
    select *, if(given_message in ('{}', 'null', '""'), null, given_message) as message
    from unwrapped
)

select
    r.id as event_id,
    r.user_id,
    r.service_user_id,
    r.device_id,
    r.service_device_id,
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
    coalesce(counted_day(micros, getvariable('first_day')), getvariable('first_day')) as date,
    m.channel_subtype,
    m.brand_message_target,
    getvariable('first_day') as export_date,
    extra,
    r.channel_metadata as metadata,
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
    odd_record
from told;
