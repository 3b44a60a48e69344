-- E21: reads the records on pages by the list of fields: scalars as text, message and metadata as JSON. The keys of
-- each record are kept too, so that unknown keys are noticed. A page that is not an answer with records stops the load
-- with an error that names the page, since its records cannot be separated.
--
-- DuckDB finds the end of a line five times as fast as the end of a JSON document. A page of several lines is invalid
-- in the newline-delimited layout; the load then falls back to the other layout.

-- Usually every record has the keys of the first record, in the same order. Its unknown keys are then unknown in all
-- records, and are read with a structure of their own.
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
        ) as texts
    from read
),

looked_at as (
    select *, holds_nested(record, 'record', texts) as has_nested
    from told
),

without_lists as (
    select
        *,
        case when has_nested then json_transform(fitting(record, 'record'), shape('record')) else given end as r
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
        or has_nested
        or is_nonconforming_metadata(r.channel_metadata)
        -- The time cannot be read.
        or (r.time is not null and micros is null) as nonconforming
    from timed
),

named as (
    select
        r.id as event_id,
        r.user_id,
        r[getvariable('settings').brand || '_user_id'] as service_user_id,
        r.device_id,
        r[getvariable('settings').brand || '_device_id'] as service_device_id,
        neutral_channel(r.channel) as channel,
        r.event_name,
        r.failure_reason,
        r.resource_title,
        replace(r.resource_type, '_', '-') as resource_type,
        r.campaign_id,
        r.experiment_group_name,
        r.user_journey_id,
        r.user_journey_node_id,
        make_timestamptz(micros) as occurred_at,
        counted_day(micros, export_date) as date,
        scalar(metadata_values[1]) as channel_subtype,
        scalar(metadata_values[2]) as brand_message_target,
        export_date,
        case
            when nonconforming or unknown_keys = 'others' then extra_of(coalesce(record, 'null'::json), 'record')
            when unknown_keys = 'of the first'
            then masked(to_json(json_transform(record, getvariable('first_record').unknown))::varchar)::json
        end as extra,
        if(given_message in ('{}', 'null', '""'), null, given_message) as message,
        texts
    from typed
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
