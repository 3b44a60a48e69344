-- E17: converts records to typed rows. A record whose day is outside the range is left out: it stays in the landed
-- file, and the pull that requests its day loads it.

create or replace temp view typed_statistics as
with read as (
    select
        pull,
        first_day,
        last_day,
        document,
        json_transform(document, shape('statistic')) as r,
        extra
    from documents
)

select
    pull,
    -- In an answer for one day, a record without a day belongs to that day.
    coalesce(try_cast(r.date as date), if(first_day = last_day, first_day, null)) as date,
    replace(r.resource_type, '_', '-') as resource_type,
    r.campaign_id,
    r.campaign_name,
    r.variant_id,
    r.variant_name,
    r.user_journey_id,
    r.user_journey_name,
    r.user_journey_node_id,
    r.user_journey_node_name,
    neutral_channel(r.channel) as channel,
    json_transform(r.tags, '["VARCHAR"]') as tags,
    r.message,
    counter(r.message_sent) as message_sent,
    counter(r.message_failed) as message_failed,
    counter(r.delivered) as delivered,
    counter(r.click) as click,
    r.conversion,
    case
        when try_cast(r.date as date) is null then 'undated'
        when date not between first_day and last_day then 'outside_range'
    end as day_note,
    if(day_note = 'undated', ['date'], [])
    || if(resource_type is null, ['resource_type'], [])
    || if(channel is null, ['channel'], [])
    || if(message_sent is null, ['message_sent'], [])
    || if(message_failed is null, ['message_failed'], []) as missing,
    extra,
    document
from read;
