-- E18: records as rows, with the id of their grain. The day that was asked for counts.

create or replace temp table staged_statistics as
with read as (
    select row_id, document, extra, json_transform(document, shape('statistic_by_subchannel')) as r
    from documents
),

typed as (
    select
        row_id,
        is_odd(document, 'statistic_by_subchannel')
        or (r.date is not null and try_cast(r.date as date) is null)
        or (r.message_sent is not null and whole(r.message_sent) is null)
        or (r.message_failed is not null and whole(r.message_failed) is null)
        or (r.delivered is not null and whole(r.delivered) is null)
        or (r.click is not null and whole(r.click) is null) as odd,
        getvariable('first_day') as date,
        coalesce(try_cast(r.date as date) <> getvariable('first_day'), false) as of_other_day,
        replace(r.resource_type, '_', '-') as resource_type,
        r.resource_id,
        r.resource_name,
        r.node_id,
        -- The service spells it node_mane (E18).
        coalesce(r.node_mane, r.node_name) as node_name,
        r.variant_id,
        r.variant_name,
        neutral_channel(r.channel) as channel,
        r.channel_sub,
        r.brand_message_target,
        json_transform(r.tags, '["VARCHAR"]') as tags,
        whole(r.message_sent) as message_sent,
        whole(r.message_failed) as message_failed,
        whole(r.delivered) as delivered,
        whole(r.click) as click,
        r.conversion,
        extra,
        document
    from read
),

numbered as (
    select
        *,
        row_number() over (
            partition by date, resource_id, node_id, variant_id, channel, channel_sub, brand_message_target
            order by document::varchar, extra::varchar
        ) as ordinal
    from typed
)

select
    md5(
        json_array(
            date,
            resource_id,
            node_id,
            variant_id,
            channel,
            channel_sub,
            brand_message_target,
            if(ordinal > 1, ordinal, null)
        )::varchar
    ) as statistic_id,
    * exclude (document)
from numbered;
