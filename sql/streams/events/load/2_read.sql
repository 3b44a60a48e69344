-- Reads the records on pages (E21) by the list of fields: scalars as text, message and metadata as JSON. The keys of each record
-- are read too, to notice unknown ones. A page that is not an answer with records stops the load, with an error that names the
-- page.
--
-- DuckDB finds the end of a line five times as fast as the end of a JSON document. If a page has several lines, that layout fails,
-- and the load uses the other one.
-- leaves: staged

-- name: open
-- A connection that prepares batches has its own in-memory database for its tables, and uses the macros of the warehouse. The
-- load's own transaction must not read from it, because all batches would stay in memory until the transaction ends.

attach if not exists ':memory:' as {batch};
set search_path = '{batch}.main,{home}.macros';

-- One row per record: the columns of `events`, and the message as received.
-- is_candidate: a field may contain a number or an address.
-- carries: the table of the message; `other` for channels and forms that the specification does not know.
create or replace table staged as
select *, null::boolean as is_candidate, null::varchar as carries, null::json as message
from {home}.main.events
limit 0;

-- name: records
-- params: files text[], largest_object bigint, paths text[], path_days date[], channels text[]
-- Usually every record has the keys of the first record, in the same order. Unknown keys are then the same in all records, and are
-- read with a structure of their own.
set variable first_keys = (
    select if(len(list_distinct(json_keys(data[1]))) = len(json_keys(data[1])), json_keys(data[1]), null)
    from read_json(
        $files[1],
        format = '{layout}',
        records = true,
        columns = {data: 'JSON[]'},
        maximum_object_size = $largest_object
    )
    limit 1
);
set variable first_unknown = nullif(
    '{' || array_to_string(
        [
            to_json(key)::varchar || ':"JSON"'
            for key in (getvariable('first_keys')::varchar[])
            if not list_contains(getvariable('specification').keys['record'], key)
        ],
        ','
    ) || '}',
    '{}'
);

insert into staged by name
with pages as (
    select
        map_extract_value(map($paths, $path_days), filename)::date as export_date,
        case
            when status = 'success' and data is not null then data
            else error('not a page of records: ' || filename)
        end as records
    from read_json(
        $files,
        format = '{layout}',
        records = true,
        columns = {status: 'VARCHAR', data: 'JSON[]'},
        maximum_object_size = $largest_object,
        filename = true
    )
),

unfolded as (
    select export_date, unnest(records) as record
    from pages
),

-- Each step computes the columns that the next step uses, because DuckDB evaluates an expression again wherever its name is used.
read as (
    select
        export_date,
        record,
        json_transform(record, shape('record')) as given,
        json_keys(record, ['', '/channel_metadata']) as keys,
        json_type(record, getvariable('specification').texts['record']) as types
    from unfolded
),

keyed as (
    select
        *,
        epoch(given.time) as given_micros,
        keys[1] = getvariable('first_keys')::varchar[] as is_like_first,
        case when is_like_first then true else has_usual_keys(keys[1], getvariable('specification').keys['record']) end as keys_are_usual
    from read
),

-- Only few records have keys of their own, or a value of another kind than specified.
judged as (
    select
        *,
        case
            when coalesce(
                not starts_with(record, '{')
                or not keys_are_usual
                or not has_usual_keys(keys[2], getvariable('specification').keys['channel_metadata'])
                -- The metadata is empty or not an object.
                or (given.channel_metadata is not null and len(keys[2]) = 0)
                or holds_no_text(types)
                or (given.time is not null and given_micros is null),
                true
            )
            then parts_of(_judged(coalesce(record, 'null'::json)::varchar, 'record', treatment()))
        end as odd
    from keyed
),

divided as (
    select
        * exclude (given, given_micros),
        coalesce(json_transform(odd.fitting, shape('record')), given) as r,
        case
            when odd is not null then odd.extra::varchar
            when is_like_first and getvariable('first_unknown') is not null
            then to_json(json_transform(record, getvariable('first_unknown')))::varchar
        end as members
    from judged
),

texts_joined as (
    select
        *,
        epoch(r.time) as micros,
        concat_ws(
            chr(31),
            '',
            unless_id(r.id),
            unless_id(r.user_id),
            unless_id(r[getvariable('settings').brand || '_user_id']),
            unless_id(r.device_id),
            unless_id(r[getvariable('settings').brand || '_device_id']),
            r.channel,
            r.event_name,
            r.failure_reason,
            r.resource_title,
            r.resource_type,
            unless_id(r.campaign_id),
            r.experiment_group_name,
            unless_id(r.user_journey_id),
            unless_id(r.user_journey_node_id)
        ) as texts,
        unwrapped(r.message_data) as given_message
    from divided
),

typed as (
    select *, may_be_decomposed(texts) as is_decomposed
    from texts_joined
),

-- Empty texts count as missing. An empty reason would turn every send into a failure, and an empty id would merge many records.
named as (
    select
        nullif(r.id, '') as event_id,
        settled(r.user_id, is_decomposed) as user_id,
        settled(r[getvariable('settings').brand || '_user_id'], is_decomposed) as service_user_id,
        nullif(r.device_id, '') as device_id,
        nullif(r[getvariable('settings').brand || '_device_id'], '') as service_device_id,
        neutral_channel(r.channel) as channel,
        settled(r.event_name, is_decomposed) as event_name,
        settled(r.failure_reason, is_decomposed) as failure_reason,
        settled(r.resource_title, is_decomposed) as resource_title,
        lower(replace(r.resource_type, '_', '-')) as resource_type,
        settled(r.campaign_id, is_decomposed) as campaign_id,
        settled(r.experiment_group_name, is_decomposed) as experiment_group_name,
        settled(r.user_journey_id, is_decomposed) as user_journey_id,
        settled(r.user_journey_node_id, is_decomposed) as user_journey_node_id,
        make_timestamptz(micros) as occurred_at,
        counted_day(micros, export_date) as date,
        nullif(r.channel_metadata.channel_subtype, '') as channel_subtype,
        nullif(r.channel_metadata.brand_message_target, '') as brand_message_target,
        export_date,
        case
            when odd is null and (may_be_personal(members) or may_hold_credentials(members))
            then _redacted_document(_masked(members, ''), 'document', treatment())
            else members
        end::json as extra,
        if(given_message in ('{}', 'null', '""'), null, given_message) as message,
        texts
    from typed
)

select
    * exclude (texts)
    -- The reason for a failure may quote a request to another system.
    replace (
        case
            when (channel = 'webhook' or not list_contains($channels, channel)) and may_hold_credentials(failure_reason)
            then _masked(to_json(failure_reason)::varchar, 'webhook') ->> '$'
            else failure_reason
        end as failure_reason
    ),
    may_be_personal(concat_ws(chr(31), texts, channel_subtype, brand_message_target)) as is_candidate,
    case
        when message is null then null
        when not starts_with(message, '{') then 'other'
        when list_contains($channels, channel) then channel
        else 'other'
    end as carries
from named;

-- True if a field may contain a number or an address.
select coalesce(bool_or(is_candidate), false) as personal
from staged;
