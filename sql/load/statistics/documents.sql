-- The answers of E17 and E18.

-- name: read
-- Reads the records of the answers of E17 and E18, which are bare arrays.

create or replace temp table documents as
select
    row_number() over () as row_id,
    asked.pull,
    asked.first_day,
    asked.last_day,
    coalesce(record, 'null'::json) as document,
    null::json as extra
from (
    select map_extract_value(map(getvariable('landed').paths, getvariable('landed').path_pulls), filename) as pull, unnest(answer) as record
    from read_json(
        getvariable('landed').files,
        format = 'unstructured',
        records = false,
        columns = {answer: 'JSON[]'},
        maximum_object_size = getvariable('landed').largest_object,
        filename = true
    )
) as answers
inner join asked using (pull);

-- name: staged
-- Gives each record the id of its grain, and reads its conversions as documents.

create or replace temp table staged_statistics as
with numbered as (
    select
        *,
        row_number() over (partition by pull, date, {grain} order by document::varchar, extra::varchar) as ordinal
    from typed_statistics
)

select
    md5(json_array(date, {grain}, if(ordinal > 1, ordinal, null))::varchar) as statistic_id,
    * exclude (document)
from numbered;

-- Numbers the documents after the lists are unfolded, since each document needs its own number.

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

-- name: conversions
create or replace temp table staged_conversions as
select
    pull,
    statistic_id,
    date,
    c.name,
    c.type,
    counter(c.count) as count,
    position,
    extra
from (
    select
        *,
        json_transform(document, shape('conversion')) as c
    from documents
) as read;

-- name: sizes
-- The size of each day in each pull, and of the day that it would replace, in an earlier pull of this load or in the
-- warehouse.

create or replace temp table sizes as
with given as (
    select pull, date, count(*) as rows, coalesce(sum(message_sent), 0)::bigint as messages
    from staged_statistics
    group by pull, date
),

there as (
    select date, count(*) as rows, coalesce(sum(message_sent), 0)::bigint as messages
    from {table}
    where date between getvariable('load').first_day and getvariable('load').last_day
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

-- name: replaced
-- Replaces the rows of the days, and notes nonconforming answers.

insert into loaded_rows
select pull, count(*)
from staged_statistics
semi join versions using (pull, date)
group by pull;

delete from {table} where date in (select date from days);
delete from {conversions} where date in (select date from days);

insert into {table} by name
select staged_statistics.* exclude (pull, conversion, day_note, missing)
from staged_statistics
semi join days using (pull, date);

insert into {conversions} by name
select staged_conversions.* exclude (pull, type), staged_conversions.type as {type}
from staged_conversions
semi join days using (pull, date);

insert into ops.load_notes by name
select getvariable('load').stream as stream, notes.*
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
    getvariable('load').stream as stream,
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
