-- Statements that read and write the lake.

-- name: add_column
alter table lake.{table} add column {column};

-- name: affected_days
-- The days of the events in one export, in the file and in the lake. An event may have another day than its export.
select distinct date::varchar as date
from (
    select date from events where export_date in ({days})
    union all
    select date from lake.{main}.events where export_date in ({days})
) as affected
where date is not null and date not in (select date from ops.removed_days)
order by date;

-- name: attach_catalog
-- The data files of a failed commit must stay: if the catalog accepted the commit and only its answer was lost, the table uses
-- these files.
attach {warehouse} as lake (
    type iceberg,
    endpoint {uri},
    access_delegation_mode {delegation},
    remove_files_on_delete false,
    {authorization}
);

-- name: attach_file
-- Attaches the published file and makes it the default, because its views name their tables without a catalog.
attach {path} as warehouse (read_only);

use warehouse;

-- name: begin_notes
-- Tables that collect the changes of one transaction. At its end, they are written to the lake with one statement per table.
create or replace temp table covered_days (stream varchar, date date);

create or replace temp table cleared_parts (relation varchar, date date);

create or replace temp table pushed_parts (relation varchar, date date, version varchar);

-- name: catalog_secret
create or replace temporary secret lake_catalog (type iceberg, {options});

-- name: clear_days
delete from lake.{table} where {day} in ({days});

-- name: commit_requests
-- The number of requests that each committed several tables.
select count(*) as requests
from duckdb_logs_parsed('HTTP')
where request.type = 'POST' and request.url like '%/transactions/commit';

-- name: commits
-- The latest commits, latest first.
select number, commit_id, writer, committed_at, command, version, days, rows
from lake.{ops}.lake_commits
order by number desc
limit {limit};

-- name: compare_days
-- Compares the rows of each day in file and lake. Equal rows have the same digest, whatever their order.
with file as (
    select {day} as day, count(*) as rows, sum(hash(compared)) as digest
    from (select {values} from {relation} where {which}) as compared
    group by all
),

lake as (
    select {day} as day, count(*) as rows, sum(hash(compared)) as digest
    from (select {names} from lake.{table} where {which}) as compared
    group by all
)

select
    coalesce(file.day, lake.day)::varchar as date,
    coalesce(file.rows, 0) as file_rows,
    coalesce(lake.rows, 0) as lake_rows,
    file.rows is not distinct from lake.rows and file.digest is not distinct from lake.digest as equal
from file
full join lake on file.day is not distinct from lake.day
order by date;

-- name: count_days
select count(*) as rows from {relation} where {day} in ({days});

-- name: cover_days
insert into covered_days
select '{stream}', unnest([{days}]);

-- name: coverage
select
    stream,
    count(*)::double as days,
    min(date)::varchar as first_date,
    max(date)::varchar as last_date,
    sum(rows)::double as rows
from lake.{ops}.coverage
group by stream
order by stream;

-- name: create_schema
create schema if not exists lake.{schema};

-- name: create_table
create table lake.{table} ({columns}) {clauses};

-- name: create_own
-- Tables that exist only in the lake: its commits, and the pushed state of each relation.
create table if not exists lake.{ops}.lake_commits (
    number bigint,
    commit_id varchar,
    writer varchar,
    committed_at timestamp with time zone,
    command varchar,
    version varchar,
    days bigint,
    rows bigint
) {clauses};

create table if not exists lake.{ops}.lake_parts (relation varchar, date date, version varchar) {clauses};

-- name: data_files
-- The data files of a table: all files in its folder, and those that its current snapshot references.
select file, bool_or(current) as current
from (
    select file, false as current
    from glob({pattern})
    union all
    select file_path, true
    from iceberg_metadata(lake.{table})
    where manifest_content = 'DATA' and status <> 'DELETED'
)
group by file
order by file;

-- name: delete_erased
delete from lake.{table} where event_id in (select event_id from erased_events);

-- name: delete_erased_contents
-- Contents that only erased persons received. The condition does not depend on what this transaction has deleted already.
delete from lake.{main}.message_contents
where
    content_id in (select content_id from erased_contents)
    and content_id not in (
        select content_id
        from (
            select content_id, event_id from lake.{main}.sent_emails
            union all
            select content_id, event_id from lake.{main}.sent_push_messages
        ) as sent
        where content_id is not null and event_id not in (select event_id from erased_events)
    );

-- name: describe
select column_name as name, column_type as type
from (describe lake.{table});

-- name: end_coverage
delete from lake.{ops}.coverage where (stream, date) in (select (stream, date) from covered_days);

insert into lake.{ops}.coverage ({coverage})
select {coverage} from ops.coverage where (stream, date) in (select (stream, date) from covered_days);

-- name: end_parts
delete from lake.{ops}.lake_parts
where
    (relation, coalesce(date, date '0001-01-01'))
    in (select (relation, coalesce(date, date '0001-01-01')) from cleared_parts);

insert into lake.{ops}.lake_parts (relation, date, version)
select relation, date, version from pushed_parts;

-- name: clear_relations
-- Deletes the coverage and versions of tables that were dropped in the lake and created again, because these are empty now.
delete from lake.{ops}.lake_parts where relation in ({relations});

delete from lake.{ops}.coverage where stream in ({streams});

-- name: covered_days
-- Days of a stream that are equal in the lake and in the file.
select file.date::varchar as date
from ops.coverage as file
inner join lake.{ops}.coverage as lake
    on
        file.stream = lake.stream
        and file.date = lake.date
        and file.pull is not distinct from lake.pull
        and file.loaded_at is not distinct from lake.loaded_at
where
    file.stream = '{stream}'
    and not (file.stream = 'events' and file.date in (select date from ops.removed_days))
order by file.date;

-- name: recorded_parts
-- The versions of the parts in the lake, for relations that are compared row by row.
create or replace temp table recorded_parts as
select relation, date, version
from lake.{ops}.lake_parts;

-- name: recorded_version
select version
from recorded_parts
where relation = '{relation}' and date is null;

-- name: forget_parts
-- Deletes records about a table that was created again.
delete from recorded_parts where relation in ({relations});

-- name: gone_own
-- Own tables in the lake that are no longer in the settings or no longer copied.
select distinct relation[5:] as "table"
from recorded_parts
where starts_with(relation, 'own.') and relation not in ({relations});

-- name: drop_own
drop table if exists lake.{table};

-- name: clear_own
insert into cleared_parts
select distinct relation, date
from recorded_parts
where starts_with(relation, 'own.') and relation not in ({relations});

-- name: holds_export
select exists (from lake.{main}.events where export_date in ({days})) as stored;

-- name: erased_events
-- The events of erased persons on days that only the lake has.
create or replace temp table erased_events as
with numbers as (
    select event_id, recipient_no from lake.{main}.text_messages where {which}
    union all
    select event_id, recipient_no from lake.{main}.friendtalk_messages where {which}
    union all
    select event_id, recipient_no from lake.{main}.alimtalk_messages where {which}
),

given as (
    from (
        unpivot (
            select event_id, user_id, service_user_id, device_id, service_device_id
            from lake.{main}.events
            where {which}
        )
        on user_id, service_user_id, device_id, service_device_id
        into name kind value value
    )
    union all
    select event_id, 'recipient', recipient_no
    from numbers
    where recipient_no is not null
)

select distinct event_id
from given
semi join (
    select kind, value
    from (select distinct kind, value from given) as different
    -- A hashed column has digests already.
    where value in (select id from erased_ids) or person_digest(kind, value) in (select id from erased_ids)
) as erased
    using (kind, value);

create or replace temp table erased_contents as
select content_id from lake.{main}.sent_emails where event_id in (select event_id from erased_events)
union
select content_id from lake.{main}.sent_push_messages where event_id in (select event_id from erased_events);

select count(*) as rows from erased_events;

-- name: erased_in_files
-- The files that have ids of erased persons, and how many. Numbers and addresses in a text are hashes already, or are redacted
-- here.
create or replace temp table file_values as
select distinct filename, kind, value
from (
    unpivot (from read_parquet([{files}], union_by_name = true, filename = true, hive_partitioning = false))
    on columns(name -> name in ({columns}))::varchar
    into name kind value value
);

create or replace temp table file_ids as
select distinct
    filename,
    case
        when kind in ({texts}) then 'hash'
        when kind in ('recipient', 'recipient_no') then 'recipient'
        when kind in ({persons}) then 'person'
        else kind
    end as kind,
    unnest(if(kind in ({texts}), regexp_extract_all(_redacted(value, 'hash'), '[0-9a-f]{64}'), [value])) as given
from file_values;

select file_ids.filename as file, count(*) as ids
from file_ids
semi join (
    select kind, given
    from (select distinct kind, given from file_ids) as different
    -- A hashed column has digests already.
    where
        (regexp_full_match(given, '[0-9a-f]{64}') and given in (select id from erased_ids))
        or (kind = 'person' and _digest('person ' || given) in (select id from erased_ids))
        or (kind not in ('hash', 'person') and person_digest(kind, given) in (select id from erased_ids))
) as erased
    using (kind, given)
group by file_ids.filename
order by file_ids.filename;

-- name: insert_days
insert into lake.{table} ({names})
select {values} from {relation} where {day} in ({days}) {order};

-- name: load_extension
load {extension};

-- name: log_requests
call enable_logging('HTTP', storage = 'memory');

-- name: model_days
-- The days on which an incremental model, or the table of event people, differs between lake and file. The people of a day's events
-- change with the links between ids; so does the model that counts people per day.
with file_days as (
    select relation, date, digest as version
    from ops.model_days
    union all
    select 'marts.event_people', date, digest
    from ops.model_days
    where relation = 'marts.daily_people' and date not in (select date from ops.removed_days)
),

lake_days as (
    select relation, date, version
    from lake.{ops}.lake_parts
    where
        (relation = 'marts.event_people' or relation in (select relation from ops.models where kind = 'table'))
        and not (relation = 'marts.event_people' and date in (select date from ops.removed_days))
)

select relation as key, list(date::varchar order by date) as dates
from file_days
full join lake_days using (relation, date)
where file_days.version is distinct from lake_days.version
group by relation
order by relation;

-- name: note_commit
-- params: number bigint, commit_id text, writer text, committed_at timestamptz, command text, version text, days bigint,
--   rows bigint
insert into lake.{ops}.lake_commits (number, commit_id, writer, committed_at, command, version, days, rows)
values ($number, $commit_id, $writer, $committed_at, $command, $version, $days, $rows);

-- name: note_days
-- Records these days of a relation as pushed, with their version. A day without rows has no version. The people of events follow
-- the model of daily people, as in model_days.
insert into cleared_parts
select '{relation}', unnest([{days}]);

insert into pushed_parts
select '{relation}', date, digest
from ops.model_days
where relation = if('{relation}' = 'marts.event_people', 'marts.daily_people', '{relation}') and date in ({days});

-- name: note_part
insert into cleared_parts values ('{relation}', null);

insert into pushed_parts values ('{relation}', null, {version});

-- name: note_staged
insert into cleared_parts
select '{name}', date
from staged_parts
where changed;

insert into pushed_parts
select '{name}', date, version
from staged_parts
where changed and version is not null;

-- name: only_in_lake
-- Days that only the lake covers. They are left unchanged.
select lake.stream as key, list(lake.date::varchar order by lake.date) as dates
from lake.{ops}.coverage as lake
anti join ops.coverage as file on lake.stream = file.stream and lake.date = file.date
group by lake.stream
order by lake.stream;

-- name: published_events
select date::varchar as date, pull, epoch_ms(loaded_at)::double as loaded_at_ms
from ops.coverage
where stream = 'events';

-- name: relations
-- The relations to copy to the lake, and the unit that a push replaces: `stream` (days in ops.coverage), `incremental` (days in
-- ops.model_days), or the whole relation. Own tables need the setting lake.own. Left out: views in main that repeat a mart, views
-- of the schema own, models with `lake: none` in their header, and the ids of people who are not counted. These would be copied
-- whole each night, and erasures on archived days would not reach the copies.
with shapes as (
    select
        schema_name,
        table_name,
        list({'name': column_name, 'type': data_type} order by column_index) as columns,
        list(column_name) as names
    from duckdb_columns()
    where database_name = 'warehouse' and schema_name in ({schemas})
    group by schema_name, table_name
)

select
    shapes.schema_name as schema,
    shapes.table_name as table,
    shapes.columns,
    case
        when shapes.schema_name = 'main' and list_contains(shapes.names, 'export_date') then 'events'
        when shapes.schema_name = 'marts' and shapes.table_name = 'event_people' then 'events'
        when shapes.schema_name = 'main' and shapes.table_name in ('daily_statistics', 'daily_conversions') then 'statistics'
        when
            shapes.schema_name = 'main'
            and shapes.table_name in ('daily_statistics_by_subchannel', 'daily_conversions_by_subchannel')
            then 'statistics_by_subchannel'
    end as stream,
    models.relation is not null as incremental,
    case
        when shapes.schema_name = 'own' then null
        when list_contains(shapes.names, 'export_date') then 'export_date'
        when list_contains(shapes.names, 'date') then 'date'
        when list_contains(shapes.names, 'week') then 'week'
    end as day
from shapes
left join ops.models
    on
        models.kind = 'table'
        and models.relation = if(shapes.schema_name = 'main', '', shapes.schema_name || '.') || shapes.table_name
where
    shapes.schema_name || '.' || shapes.table_name not in (
        {left_out},
        'own.conversions', 'own.holdouts', 'own.segments', 'ops.excluded_people', 'ops.excluded_ids', 'ops.excluded_events'
    )
    and (
        shapes.schema_name <> 'main'
        or shapes.table_name not in (select marts.table_name from shapes as marts where marts.schema_name = 'marts')
    )
order by shapes.schema_name, shapes.table_name;

-- name: replace_staged
delete from lake.{table} where {which};

insert into lake.{table} ({names})
select {names} from staged where {chosen};

-- name: session
-- Shortens the error for a missing table. To suggest another table, DuckDB would request all tables of all namespaces from the
-- catalog.
set catalog_error_max_schemas = 0;

set TimeZone = 'Asia/Seoul';

-- name: snapshots
select manifest_list
from iceberg_snapshots(lake.{table})
order by timestamp_ms desc
limit 1;

-- name: stage_relation
-- Stages the rows of a relation, and finds the parts that differ in the lake: days, or the whole relation if it has no days. Equal
-- rows have the same version, whatever their order. A part without rows has no version.
create or replace temp table staged as
select {values} from {relation};

create or replace temp table staged_parts as
with file_parts as (
    select {day} as date, count(*) as rows, count(*) || ' ' || sum(hash(staged)) as version
    from staged
    group by date
),

lake_parts as (
    select date, version
    from recorded_parts
    where relation = '{name}'
)

select
    coalesce(file_parts.date, lake_parts.date) as date,
    coalesce(file_parts.rows, 0) as rows,
    file_parts.version,
    file_parts.version is distinct from lake_parts.version as changed
from file_parts
full join lake_parts on file_parts.date is not distinct from lake_parts.date;

-- name: staged_parts
select date::varchar as date, rows, changed
from staged_parts
order by staged_parts.date;

-- name: storage_secret
create or replace temporary secret lake_storage (type s3, {options});

-- name: stream_days
-- The days of streams that differ between lake and file. Archived days are only in the lake.
select file.stream as key, list(file.date::varchar order by file.date) as dates
from ops.coverage as file
anti join lake.{ops}.coverage as lake
    on
        file.stream = lake.stream
        and file.date = lake.date
        and file.pull is not distinct from lake.pull
        and file.loaded_at is not distinct from lake.loaded_at
where not (file.stream = 'events' and file.date in (select date from ops.removed_days))
group by file.stream
order by min(file.date), file.stream;
