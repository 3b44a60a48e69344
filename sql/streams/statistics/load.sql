-- Loads the daily statistics (E17, E18), in the order of the steps. An empty id, name, channel or tag counts as missing.
-- needs: asked, days, first_days, loaded_rows, versions
-- leaves: extras, sizes

-- name: read
-- params: paths text[], path_pulls text[], files text[], largest_object bigint
-- Reads the records in the answers of E17 and E18, which are arrays without an envelope.
create or replace temp table documents as
with given as (
    select pull, record ->> '$.channel' as channel, nfc_json(coalesce(record, 'null'::json)::varchar) as document
    from (
        select map_extract_value(map($paths, $path_pulls), filename) as pull, unnest(answer) as record
        from read_json(
            $files,
            format = 'unstructured',
            records = false,
            columns = {answer: 'JSON[]'},
            maximum_object_size = $largest_object,
            filename = true
        )
    ) as answers
),

masked as (
    -- The message and the address of a webhook may have credentials.
    select pull, if(may_hold_credentials(document), _masked(document, coalesce(channel, '')), document) as document
    from given
),

redacted as (
    select pull, if(may_be_personal(document), _redacted_document(document, 'document', treatment()), document) as document
    from masked
)

select judged.pull, first_day, last_day, fitting(document, odd) as document, extra_of(odd) as extra
from (select *, _judged(document, '{place}', treatment()) as odd from redacted) as judged
inner join asked using (pull);

-- name: statistics
-- Reads the fields that only E17 has. A record outside the range of days is left out. It stays in the landed file, and the pull
-- that requests its day loads it.
create or replace temp view records as
select
    pull,
    -- In an answer for one day, a record without a day belongs to that day.
    coalesce(day_read, if(first_day = last_day, first_day, null)) as date,
    lower(replace(r.resource_type, '_', '-')) as resource_type,
    nullif(r.campaign_id, '') as campaign_id,
    nullif(r.campaign_name, '') as campaign_name,
    nullif(r.user_journey_id, '') as user_journey_id,
    nullif(r.user_journey_name, '') as user_journey_name,
    nullif(r.user_journey_node_id, '') as user_journey_node_id,
    nullif(r.user_journey_node_name, '') as user_journey_node_name,
    nullif(r.variant_id, '') as variant_id,
    nullif(r.variant_name, '') as variant_name,
    neutral_channel(r.channel) as channel,
    -- Identifies a statistic of the day, including the message, because two messages of a campaign on one channel may be two rows.
    [resource_type, campaign_id, variant_id, user_journey_id, user_journey_node_id, channel] as grain,
    -- Does not depend on the order of the message's members.
    sorted_members(r.message) as message_key,
    coalesce(campaign_id, user_journey_id) as sender,
    coalesce(campaign_name, user_journey_name) as sender_label,
    r.message,
    case
        when day_read is null then 'undated'
        when date not between first_day and last_day then 'outside_range'
    end as day_note,
    if(day_note = 'undated', ['date'], []) || if(r.resource_type is null, ['resource_type'], []) as missing_here,
    r,
    extra,
    document
from (
    select *, _day(r.date)::date as day_read
    from (select *, json_transform(document, shape('statistic')) as r from documents) as given
) as read;

create or replace temp view named_senders as
select distinct coalesce(campaign_id, user_journey_id) as sender
from daily_statistics
where coalesce(campaign_name, user_journey_name) is not null;

-- name: subchannels
-- Reads the fields that only E18 has. The record belongs to the requested day.
create or replace temp view records as
select
    pull,
    first_day as date,
    lower(replace(r.resource_type, '_', '-')) as resource_type,
    nullif(r.resource_id, '') as resource_id,
    nullif(r.resource_name, '') as resource_name,
    nullif(r.node_id, '') as node_id,
    -- E18 spells the key node_mane.
    nullif(coalesce(r.node_mane, r.node_name), '') as node_name,
    nullif(r.variant_id, '') as variant_id,
    nullif(r.variant_name, '') as variant_name,
    neutral_channel(r.channel) as channel,
    nullif(r.channel_sub, '') as channel_sub,
    nullif(r.brand_message_target, '') as brand_message_target,
    [resource_id, node_id, variant_id, channel, channel_sub, brand_message_target] as grain,
    null::json as message_key,
    resource_id as sender,
    resource_name as sender_label,
    if(_day(r.date)::date <> first_day, 'other_day', null) as day_note,
    if(resource_id is null, ['resource_id'], []) as missing_here,
    r,
    extra,
    document
from (select *, json_transform(document, shape('statistic_by_subchannel')) as r from documents) as read;

create or replace temp view named_senders as
select distinct resource_id as sender
from daily_statistics_by_subchannel
where resource_name is not null;

-- name: staged
-- Gives each record an id made from its grain, and reads its conversions as documents. Of several records with the same key
-- (including the message), the one with the largest counts is used, and all are noted (`twins.sql`).
create or replace temp table staged_statistics as
with typed_statistics as (
    select
        * exclude (r, missing_here),
        list_filter(json_transform(r.tags, '["VARCHAR"]'), lambda tag: tag <> '') as tags,
        counter(r.message_sent) as message_sent,
        counter(r.message_failed) as message_failed,
        counter(r.delivered) as delivered,
        counter(r.click) as click,
        r.conversion,
        missing_here
        || if(channel is null, ['channel'], [])
        || if(message_sent is null, ['message_sent'], [])
        || if(message_failed is null, ['message_failed'], []) as missing
    from records
),

keyed as (
    select
        *,
        sender is not null and channel is not null and date is not null as is_identified,
        md5(json_array(grain[1], grain[2], grain[3], grain[4], grain[5], grain[6], message_key)::varchar) as key,
        list_sum([counter(given) for given in json_extract_string(conversion, '$[*].count')]) as converted
    from typed_statistics
),

copies as (
    select
        * exclude (converted),
        row_number() over largest_first as copy,
        is_identified and count(*) over every_copy > 1 as has_twins,
        list(document) over every_copy as given_rows,
        sum(message_sent) over every_copy as sent_by_all
    from keyed
    window
        largest_first as (
            partition by pull, date, key
            order by message_sent desc nulls last, delivered desc nulls last, click desc nulls last, converted desc nulls last,
                message_failed desc nulls last, document::varchar, extra::varchar
        ),
        every_copy as (largest_first rows between unbounded preceding and unbounded following)
),

numbered as (
    select *, row_number() over (partition by pull, date, grain order by document::varchar, extra::varchar) as ordinal
    from copies
    where copy = 1 or not is_identified
)

select
    md5(
        json_array(
            date, grain[1], grain[2], grain[3], grain[4], grain[5], grain[6], if(ordinal > 1, ordinal, null)
        )::varchar
    ) as statistic_id,
    * exclude (document, message_key, is_identified, copy, key, has_twins)
    replace (if(has_twins, to_json(given_rows), null) as given_rows, if(has_twins, sent_by_all, null)::bigint as sent_by_all)
from numbered;

create or replace temp table staged_conversions as
with lists as (
    select pull, statistic_id, date, conversion -> '$[*]' as given
    from staged_statistics
),

unfolded as (
    select pull, statistic_id, date, generate_subscripts(given, 1)::integer as position, unnest(given) as document
    from lists
),

read as (
    select * exclude (document, odd), json_transform(fitting(document, odd), shape('conversion')) as c, extra_of(odd) as extra
    from (select *, _judged(document::varchar, 'conversion', treatment()) as odd from unfolded) as judged
)

select * exclude (c), c.name, c.type, counter(c.count) as count
from read;

-- name: undated
-- Pulls that have records but no readable day.
select pull, count(*) as records
from staged_statistics
inner join asked using (pull)
group by pull
having
    bool_and(coalesce(day_note = 'undated', false))
    -- Not in an answer for one day, where records without a day belong to that day.
    and (any_value(first_day <> last_day) or count(json_extract(extra, '/date')) = count(*));

-- name: sizes
-- params: first_day date, last_day date
-- The size of each day in each pull, and of the day that it would replace: in an earlier pull of this load, or in the warehouse.
create or replace temp table sizes as
with given as (
    -- A day may have the sum of twins, so that is compared too.
    select pull, date, count(*) as rows, coalesce(sum(coalesce(sent_by_all, message_sent)), 0)::bigint as messages
    from staged_statistics
    group by pull, date
),

there as (
    select date, count(*) as rows, coalesce(sum(message_sent), 0)::bigint as messages
    from {table}
    where date between $first_day::date and $last_day::date
    group by date
),

steps as (
    select
        versions.date,
        versions.pulled_at,
        coalesce(given.rows, 0) as rows,
        coalesce(given.messages, 0) as messages,
        coalesce(lag(coalesce(given.rows, 0)) over by_version, there.rows) as rows_before,
        coalesce(lag(coalesce(given.messages, 0)) over by_version, there.messages) as messages_before
    from versions
    left join given using (pull, date)
    left join there on versions.date = there.date
    window by_version as (partition by versions.date order by versions.version)
)

select *, null::varchar as campaign_id
from steps
where rows_before is not null;

-- name: restatements
-- Records each counter whose value differs from the replaced one, in the warehouse or in an earlier pull of this load. Statistics
-- that have or had twins are left out, because other streams decide their counts.
insert into ops.restatements by name
with replacements as (
    select versions.*
    from versions
    left join ops.coverage on coverage.stream = 'statistics' and versions.date = coverage.date
    where versions.version > 1 or coverage.date is not null
),

statistics as (
    select 0 as version, * exclude (message, ordinal, extra)
    from daily_statistics
    where date in (select date from replacements)
    union all by name
    select versions.version, staged_statistics.* exclude (message, ordinal, extra, given_rows, sent_by_all)
    from staged_statistics
    inner join versions using (pull, date)
),

conversions as (
    select 0 as version, date, statistic_id, type, name, count
    from daily_conversions
    where date in (select date from replacements)
    union all
    select versions.version, date, statistic_id, type, name, count
    from staged_conversions
    inner join versions using (pull, date)
),

counters as (
    select version, date, statistic_id, counter, value
    from statistics
    unpivot include nulls (value for counter in (message_sent, message_failed, delivered, click))
    union all
    select version, date, statistic_id, concat_ws(':', 'conversion', type, name), sum(count)::bigint
    from conversions
    group by all
),

twins as (
    select 0 as version, date, statistic_id
    from ops.load_notes
    where stream = 'statistics' and given_rows is not null
    union all
    select versions.version, date, statistic_id
    from staged_statistics
    inner join versions using (pull, date)
    where given_rows is not null
),

left_out as (
    select unnest([version, version + 1]) as version, date, statistic_id
    from twins
),

before as (
    select version + 1 as version, date, statistic_id, counter, value
    from counters
),

changes as (
    select
        version,
        date,
        statistic_id,
        counter,
        case
            when before.statistic_id is null then 'appeared'
            when after.statistic_id is null then 'vanished'
            else 'changed'
        end as kind,
        before.value as before,
        after.value as after
    from before
    full join counters as after using (version, date, statistic_id, counter)
    anti join left_out using (version, date, statistic_id)
    where before.value is distinct from after.value
),

-- A statistic that is missing from the new answer is described by the replaced day.
subjects as (
    select
        date,
        statistic_id,
        any_value(
            struct_pack(resource_type, campaign_id, variant_id, user_journey_id, user_journey_node_id, channel)
        ) as subject
    from statistics
    group by date, statistic_id
)

select
    replacements.pulled_at as detected_at,
    changes.* exclude (version),
    unnest(subjects.subject),
    replacements.pull
from changes
inner join replacements using (version, date)
left join subjects using (date, statistic_id);

-- name: replaced
-- params: stream text
-- Replaces the rows of the days, and records how answers differ from the specification.
insert into loaded_rows
select pull, count(*)
from staged_statistics
semi join versions using (pull, date)
group by pull;

-- The last name that the service gave for each row, because a night may bring rows without names.
create or replace temp table known_names as
select date, statistic_id, max_by(columns('_name$'), version)
from (
    select date, statistic_id, 0 as version, columns('_name$')
    from {table}
    where date in (select date from days)
    union all by name
    select date, statistic_id, version, columns('_name$')
    from staged_statistics
    inner join versions using (pull, date)
) as names
group by date, statistic_id;

delete from {table} where date in (select date from days);
delete from {conversions} where date in (select date from days);

insert into {table} by name
select
    staged.* exclude (pull, conversion, day_note, missing, given_rows, sent_by_all, grain, sender, sender_label),
    known_names.* exclude (date, statistic_id)
from (select columns(lambda name: not ends_with(name, '_name')) from staged_statistics) as staged
semi join days using (pull, date)
inner join known_names using (date, statistic_id);

insert into {conversions} by name
select staged_conversions.* exclude (pull, type), staged_conversions.type as {type}
from staged_conversions
semi join days using (pull, date);

insert into ops.load_notes by name
select
    $stream as stream,
    date,
    pull,
    'repeated' as note,
    array_to_string(grain, ' ') as subject,
    json_array_length(given_rows) - 1 as records,
    statistic_id,
    given_rows
from staged_statistics
semi join days using (pull, date)
where given_rows is not null;

insert into ops.load_notes by name
select $stream as stream, notes.*
from (
    select
        coalesce(if(day_note = 'outside_range', null, staged_statistics.date), first_days.date) as date,
        pull,
        day_note as note,
        if(day_note = 'outside_range', staged_statistics.date::varchar, null) as subject,
        count(*) as records
    from staged_statistics
    inner join first_days using (pull)
    where day_note is not null
    group by all
    union all
    select date, pull, 'same_grain', statistic_id, 1
    from staged_statistics
    where ordinal > 1
    union all
    -- True if most rows of the pull have no name although names of some campaigns or journeys are known.
    select any_value(first_days.date), pull, 'no_names', null, count(*) filter (sender_label is null)
    from staged_statistics
    inner join first_days using (pull)
    left join named_senders on staged_statistics.sender = named_senders.sender
    group by pull
    having
        count(*) filter (sender_label is null) * 2 > count(*)
        and count(*) filter (sender_label is null and named_senders.sender is not null) > 0
) as notes
semi join days using (pull, date);

create or replace temp table extras as
select '{place}' as place, date, extra
from staged_statistics
semi join days using (pull, date)
where extra is not null
union all
select 'conversion', date, extra
from staged_conversions
semi join days using (pull, date)
where extra is not null;

insert into ops.drift_by_day by name
select
    $stream as stream,
    date,
    'record' as place,
    field,
    'missing' as kind,
    count(*) as records
from (
    select pull, coalesce(staged_statistics.date, first_days.date) as date, unnest(missing) as field, extra
    from staged_statistics
    inner join first_days using (pull)
) as missing_fields
semi join days using (pull, date)
where json_extract_string(extra, pointer(field)) is null
group by date, field;
