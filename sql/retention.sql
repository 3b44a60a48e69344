-- Statements for the settings under `retention`.

-- name: removable
-- Days whose events may be removed from this file: covered, not removed yet, and only while no model has to be computed from
-- events.
create or replace temp view removable as
select date, pull, loaded_at
from ops.coverage
where
    stream = 'events'
    and date not in (select date from ops.removed_days)
    and not exists (from ops.touched_days where touched_days.stream = 'events');

-- name: tables
-- The tables of events and messages, whose rows belong to an export.
select tables.table_name as "table"
from duckdb_columns() as columns
inner join duckdb_tables() as tables using (database_oid, table_oid)
where columns.column_name = 'export_date' and tables.schema_name = 'main' and tables.database_name = current_database()
order by all;

-- name: clear
delete from {table} where export_date in (select date from leaving_days);

-- name: due
-- params: before date
select date::varchar as day, pull, loaded_at as "loadedAt"
from removable
where date < $before::date
order by date;

-- name: leaving
-- params: days date[], removed_at timestamptz
-- Decides which of the days are removed.
create or replace temp table leaving_days as
select date from removable where date::varchar in (select unnest($days));

insert into ops.removed_days by name
select
    leaving_days.date,
    count(events.export_date) as rows,
    $removed_at as removed_at
from leaving_days
left join events on leaving_days.date = events.export_date
group by leaving_days.date;

-- name: left
select leaving_days.date::varchar as day, removed_days.rows
from leaving_days
inner join ops.removed_days using (date)
order by leaving_days.date;

-- name: note
-- params: retention json
insert into ops.retention by name
select
    row."removedAt" as removed_at, row.place, row."firstDay" as first_date, row."lastDay" as last_date, row.days, row.items
from (
    select from_json(
        $retention,
        '{"removedAt": "TIMESTAMPTZ", "place": "VARCHAR", "firstDay": "DATE", "lastDay": "DATE", "days": "BIGINT",
          "items": "BIGINT"}'
    ) as row
) as given;

-- name: closed_opt_outs
-- params: before date
-- For each day before the given one, the number of opt-out versions that ended on it.
select valid_to::varchar as day, count(*) as rows
from opt_outs_history
where valid_to < $before::date
group by valid_to;

-- name: remove_opt_outs
-- params: before date
delete from opt_outs_history where valid_to < $before::date;

-- name: attach
attach '{old}' as old (read_only);

-- name: take_days
-- params: days date[]
-- Copies the computed rows of days whose pages were removed from another file of this data folder, which may still have the events.
create or replace temp table taken_days as
select date
from old.ops.coverage
where stream = 'events' and date::varchar in (select unnest($days::varchar[]));

insert into ops.removed_days by name
select taken_days.date, coalesce(removed_days.rows, coverage.rows) as rows, coalesce(removed_days.removed_at, now()) as removed_at
from taken_days
inner join old.ops.coverage on coverage.stream = 'events' and taken_days.date = coverage.date
left join old.ops.removed_days on taken_days.date = removed_days.date;
insert into ops.retention by name select * from old.ops.retention;
insert into ops.coverage by name
select * from old.ops.coverage where stream = 'events' and date in (select date from taken_days);
insert into ops.loads by name
select *
from old.ops.loads
where pull in (select pull from old.ops.coverage where stream = 'events' and date in (select date from taken_days));
insert into ops.load_notes by name
select * from old.ops.load_notes where stream = 'events' and date in (select date from taken_days);

select columns.schema_name as schema, columns.table_name as "table", columns.column_name as column
from duckdb_columns() as columns
inner join duckdb_tables() as tables using (database_name, schema_name, table_name)
inner join old.ops.models as models
    on models.relation = columns.schema_name || '.' || columns.table_name and models.kind = 'table'
where columns.database_name = 'old' and columns.column_name in ('date', 'week');

-- name: take_model
-- In a new file, the next refresh treats the copied rows like rows of an older model, and keeps those of days without events. If
-- the file has the table already, it has other rows for a week.
create table if not exists {schema}.{table} as from old.{schema}.{table} limit 0;

insert into {schema}.{table} by name
from old.{schema}.{table} as taken
where
    {column} in (select date from taken_days)
    or (
        '{column}' = 'week'
        and {column} in (select date_trunc('week', date)::date from taken_days)
        and {column} not in (select {column} from {schema}.{table})
    );

insert into ops.models by name
select '{schema}.{table}' as relation, 'table' as kind, 'taken over' as fingerprint
where '{schema}.{table}' not in (select relation from ops.models);

-- name: taken
select date::varchar as date
from taken_days
order by taken_days.date;

-- name: detach
detach old;
