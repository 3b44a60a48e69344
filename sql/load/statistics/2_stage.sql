-- E17: records as rows, with the id of their grain.

create or replace temp table staged_statistics as
with read as (
    select
        pull,
        first_day,
        last_day,
        document,
        json_transform(document, shape('statistic')) as r,
        extra
    from documents
),

typed as (
    select
        pull,
        first_day,
        last_day,
        -- An answer for one day leaves no doubt about the day of a record without one.
        coalesce(try_cast(r.date as date), if(first_day = last_day, first_day, null)) as date,
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
            partition by
                pull,
                date,
                resource_type,
                campaign_id,
                variant_id,
                user_journey_id,
                user_journey_node_id,
                channel
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
