-- E18: converts records to typed rows. The requested day counts.

create or replace temp view typed_statistics as
with read as (
    select
        pull,
        first_day,
        document,
        json_transform(document, shape('statistic_by_subchannel')) as r,
        extra
    from documents
)

select
    pull,
    first_day as date,
    replace(r.resource_type, '_', '-') as resource_type,
    r.resource_id,
    r.resource_name,
    r.node_id,
    -- E18 spells the key node_mane.
    coalesce(r.node_mane, r.node_name) as node_name,
    r.variant_id,
    r.variant_name,
    neutral_channel(r.channel) as channel,
    r.channel_sub,
    r.brand_message_target,
    json_transform(r.tags, '["VARCHAR"]') as tags,
    counter(r.message_sent) as message_sent,
    counter(r.message_failed) as message_failed,
    counter(r.delivered) as delivered,
    counter(r.click) as click,
    r.conversion,
    if(try_cast(r.date as date) <> first_day, 'other_day', null) as day_note,
    if(r.resource_id is null, ['resource_id'], [])
    || if(channel is null, ['channel'], [])
    || if(message_sent is null, ['message_sent'], [])
    || if(message_failed is null, ['message_failed'], []) as missing,
    extra,
    document
from read;
