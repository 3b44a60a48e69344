-- E17: records as rows, with the id of their grain.

create or replace temp table staged_statistics as
with read as (
    select row_id, document, extra, json_transform(document, shape('statistic')) as r
    from documents
),

typed as (
    select
        row_id,
        is_odd(document, 'statistic')
        or (r.date is not null and try_cast(r.date as date) is null)
        or (r.message_sent is not null and whole(r.message_sent) is null)
        or (r.message_failed is not null and whole(r.message_failed) is null)
        or (r.delivered is not null and whole(r.delivered) is null)
        or (r.click is not null and whole(r.click) is null) as odd,
        -- An answer for one day leaves no doubt about the day of a record without one.
        coalesce(
            try_cast(r.date as date),
            if(getvariable('first_day') = getvariable('last_day'), getvariable('first_day'), null)
        ) as date,
        try_cast(r.date as date) is null as undated,
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
            partition by
                date, resource_type, campaign_id, variant_id, user_journey_id, user_journey_node_id, channel
            order by document::varchar, extra::varchar
        ) as ordinal
    from typed
)

select
    md5(
        json_array(
            date,
            resource_type,
            campaign_id,
            variant_id,
            user_journey_id,
            user_journey_node_id,
            channel,
            if(ordinal > 1, ordinal, null)
        )::varchar
    ) as statistic_id,
    * exclude (document)
from numbered;
