-- E21: reads the records on pages by the list of fields: scalars as text, message and metadata as JSON. The keys of
-- each record are kept too, so that unknown keys are noticed. A page that is not an answer with records stops the load
-- with an error that names the page, since its records cannot be separated.
--
-- DuckDB finds the end of a line five times as fast as the end of a JSON document. A page of several lines is invalid
-- in the newline-delimited layout; the load then falls back to the other layout.

-- name: open
-- A connection that prepares batches has its own in-memory database for its tables, and uses the macros of the
-- warehouse. The load's own transaction never reads from this database, or it would keep all batches in memory until
-- its end.

attach if not exists ':memory:' as {batch};
set search_path = '{batch}.main,{home}.macros';

-- One row per record: the columns of `events`, and the message as it came.
-- is_candidate: a field may hold a number or an address.
-- carries: the table of the message; `other` for channels and forms that the specification does not know.
create or replace table staged as
select *, null::boolean as is_candidate, null::varchar as carries, null::json as message
from {home}.main.events
limit 0;

-- name: records
-- Usually every record has the keys of the first record, in the same order. Its unknown keys are then unknown in all
-- records, and are read with a structure of their own.
-- framing: the length of a record of these keys without unknown members and without the values of known ones, of which
-- an absent one counts as null.
set variable first_record = null;
set variable first_record = (
    select {keys: if(len(list_distinct(json_keys(data[1]))) = len(json_keys(data[1])), json_keys(data[1]), null)}
    from read_json(
        getvariable('landed').files[1],
        format = '{layout}',
        records = true,
        columns = {data: 'JSON[]'},
        maximum_object_size = getvariable('landed').largest_object
    )
    limit 1
);
set variable first_record = {
    keys: getvariable('first_record').keys::varchar[],
    framing: framing(list_intersect(getvariable('first_record').keys::varchar[], [{record_fields}]), [{record_fields}]),
    unknown: object_of(
        list_transform(
            list_filter(
                getvariable('first_record').keys::varchar[],
                lambda key: not list_contains([{record_fields}], key)
            ),
            lambda key: member(key, '"JSON"')
        )
    )::varchar
};

insert into staged by name
with pages as (
    select
        map_extract_value(map(getvariable('landed').paths, getvariable('landed').path_days), filename)::date as export_date,
        case
            when status = 'success' and data is not null then data
            else error('not a page of records: ' || filename)
        end as records
    from read_json(
        getvariable('landed').files,
        format = '{layout}',
        records = true,
        columns = {status: 'VARCHAR', data: 'JSON[]'},
        maximum_object_size = getvariable('landed').largest_object,
        filename = true
    )
),

unfolded as (
    select export_date, unnest(records) as record
    from pages
),

-- Each step computes the columns that macros and conditions of the next step use: DuckDB evaluates an expression again
-- wherever its name is used.
read as (
    select
        export_date,
        record,
        coalesce(starts_with(record, '{'), false) as is_object,
        json_transform(record, shape('record')) as given,
        json_keys(record) as keys
    from unfolded
),

-- Texts that may be personal, and objects or lists in place of texts, are examined together, since they are rare.
told as (
    select
        * exclude (keys),
        case
            when keys = getvariable('first_record').keys
            then if(getvariable('first_record').unknown is null, 'none', 'of the first')
            when list_has_all([{record_fields}], keys) then 'none'
            else 'others'
        end as unknown_keys,
        concat_ws(
            chr(31),
            '',
            unless_id(given.id),
            unless_id(given.user_id),
            unless_id(given[getvariable('settings').brand || '_user_id']),
            unless_id(given.device_id),
            unless_id(given[getvariable('settings').brand || '_device_id']),
            given.channel,
            given.event_name,
            given.failure_reason,
            given.resource_title,
            given.resource_type,
            unless_id(given.campaign_id),
            given.experiment_group_name,
            unless_id(given.user_journey_id),
            unless_id(given.user_journey_node_id)
        ) as texts,
        -- The length of the record if each text is a text or null; see quoted_length.
        quoted_length(given.id)
        + quoted_length(given.user_id)
        + quoted_length(given[getvariable('settings').brand || '_user_id'])
        + quoted_length(given.device_id)
        + quoted_length(given[getvariable('settings').brand || '_device_id'])
        + quoted_length(given.channel)
        + quoted_length(given.event_name)
        + quoted_length(given.failure_reason)
        + quoted_length(given.resource_title)
        + quoted_length(given.resource_type)
        + quoted_length(given.campaign_id)
        + quoted_length(given.experiment_group_name)
        + quoted_length(given.user_journey_id)
        + quoted_length(given.user_journey_node_id)
        + quoted_length(given.time)
        + coalesce(strlen(given.message_data), 4)
        + coalesce(strlen(given.channel_metadata), 4)
        + case
            when keys = getvariable('first_record').keys then getvariable('first_record').framing
            else framing(keys, [{record_fields}])
        end as known_length
    from read
),

with_unknown as (
    select
        *,
        case
            when unknown_keys = 'of the first'
            then to_json(json_transform(record, getvariable('first_record').unknown))::varchar
        end as unknown_members,
        -- A text holds a character that JSON escapes, or one that NFC may replace.
        regexp_matches(
            texts,
            '["\\\x00-\x1E\x{300}-\x{36F}\x{1100}-\x{11FF}\x{3099}\x{309A}\x{A960}-\x{A97F}\x{D7B0}-\x{D7FF}\x{F900}-\x{FAFF}]'
        ) as is_unusual
    from told
),

looked_at as (
    select
        *,
        case
            when strlen(record) <> known_length + coalesce(strlen(unknown_members) - 1, 0) or is_unusual
            then has_misfit(record, 'record')
            else false
        end as has_misfit
    from with_unknown
),

without_lists as (
    select
        *,
        case when has_misfit then json_transform(fitting(record, 'record'), shape('record')) else given end as r
    from looked_at
),

timed as (
    select *, epoch(r.time) as micros
    from without_lists
),

typed as (
    select
        *,
        case
            when not says_nothing(r.channel_metadata)
            then json_extract(r.channel_metadata, ['/channel_subtype', '/brand_message_target'])
        end as metadata_values,
        unwrapped(r.message_data) as given_message,
        not is_object
        or has_misfit
        or is_nonconforming_metadata(r.channel_metadata)
        -- The time cannot be read.
        or (r.time is not null and micros is null) as nonconforming
    from timed
),

-- Members of each kind of oddity are rare.
with_members as (
    select
        *,
        case
            when nonconforming or unknown_keys = 'others'
            then odd_members(
                coalesce(record, 'null'::json), 'record', has_misfit(record, 'record'), without_known(record, 'record')
            )
        end as members
    from typed
),

with_extra as (
    select * replace (without_recipient(members) as members)
    from with_members
),

-- Empty texts are none: an empty reason would make a failure of every send, and an empty id one record of many.
named as (
    select
        nullif(r.id, '') as event_id,
        nullif(case when is_unusual then nfc(r.user_id) else r.user_id end, '') as user_id,
        nullif(case when is_unusual then nfc(r[getvariable('settings').brand || '_user_id']) else r[getvariable('settings').brand || '_user_id'] end, '') as service_user_id,
        nullif(r.device_id, '') as device_id,
        nullif(r[getvariable('settings').brand || '_device_id'], '') as service_device_id,
        neutral_channel(r.channel) as channel,
        nullif(case when is_unusual then nfc(r.event_name) else r.event_name end, '') as event_name,
        nullif(case when is_unusual then nfc(r.failure_reason) else r.failure_reason end, '') as failure_reason,
        nullif(case when is_unusual then nfc(r.resource_title) else r.resource_title end, '') as resource_title,
        replace(r.resource_type, '_', '-') as resource_type,
        nullif(case when is_unusual then nfc(r.campaign_id) else r.campaign_id end, '') as campaign_id,
        nullif(case when is_unusual then nfc(r.experiment_group_name) else r.experiment_group_name end, '') as experiment_group_name,
        nullif(case when is_unusual then nfc(r.user_journey_id) else r.user_journey_id end, '') as user_journey_id,
        nullif(case when is_unusual then nfc(r.user_journey_node_id) else r.user_journey_node_id end, '') as user_journey_node_id,
        make_timestamptz(micros) as occurred_at,
        counted_day(micros, export_date) as date,
        nullif(scalar(metadata_values[1]), '') as channel_subtype,
        nullif(scalar(metadata_values[2]), '') as brand_message_target,
        export_date,
        case
            when nonconforming or unknown_keys = 'others' then as_extra(members)
            when unknown_members is not null then masked(unknown_members)::json
        end as extra,
        if(given_message in ('{}', 'null', '""'), null, given_message) as message,
        texts
    from with_extra
)

select
    * exclude (texts),
    may_be_personal(concat_ws(chr(31), texts, channel_subtype, brand_message_target)) as is_candidate,
    case
        when message is null then null
        when not starts_with(message, '{') then 'other'
        when channel in ({channels}) then channel
        else 'other'
    end as carries
from named;

-- Whether any field may hold an address or a number.
select coalesce(bool_or(is_candidate), false) as personal
from staged;
