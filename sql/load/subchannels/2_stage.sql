-- E18: records as rows, with the id of their grain. The day that was asked for counts.

create or replace temp table staged_statistics as
with read as (
    select
        pull,
        first_day,
        document,
        json_transform(document, shape('statistic_by_subchannel')) as r,
        extra
    from documents
),

typed as (
    select
        pull,
        first_day as date,
        coalesce(try_cast(r.date as date) <> first_day, false) as of_other_day,
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
        counter(r.message_sent) as message_sent,
        counter(r.message_failed) as message_failed,
        counter(r.delivered) as delivered,
        counter(r.click) as click,
        r.conversion,
        extra,
        document
    from read
),

numbered as (
    select
        *,
        row_number() over (
            partition by pull, date, resource_id, node_id, variant_id, channel, channel_sub, brand_message_target
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

-- Numbered only when the lists are unfolded: each document needs a number of its own.

create or replace temp table documents as
select row_number() over () as row_id, *
from (
    select
        pull,
        statistic_id,
        date,
        generate_subscripts(given, 1)::integer as position,
        unnest(given) as document,
        null::json as extra
    from (select pull, statistic_id, date, conversion -> '$[*]' as given from staged_statistics) as lists
) as unfolded;
