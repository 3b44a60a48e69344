-- Statements for the settings under `retention`.

-- name: note
insert into ops.retention by name
select
    $removedAt as removed_at,
    $place as place,
    $firstDay::date as first_day,
    $lastDay::date as last_day,
    $days as days,
    $items as items;

-- name: closed_opt_outs
-- The range and number of opt-out versions that ended before the day.
select min(valid_to)::varchar as first_day, max(valid_to)::varchar as last_day, count(*) as items
from opt_outs_history
where valid_to < getvariable('given').before::date;

-- name: remove_opt_outs
delete from opt_outs_history where valid_to < getvariable('given').before::date;

-- name: attach
attach '{old}' as old (read_only);

-- name: take_days
-- Copies the computed rows of days whose pages were removed from another file of this data folder.

create or replace temp table taken_days as
select date
from old.ops.archived_days
where date::varchar in (select unnest(getvariable('days')::varchar[]));

insert into ops.archived_days by name select * from old.ops.archived_days where date in (select date from taken_days);
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
-- The next refresh treats the copied rows as those of an older version of the model, and keeps the rows of days without
-- events.

create table {schema}.{table} as
from old.{schema}.{table}
where {column} in (select date from taken_days) or {column} in (select date_trunc('week', date)::date from taken_days);

insert into ops.models by name select '{schema}.{table}' as relation, 'table' as kind, 'taken over' as fingerprint;

-- name: detach
detach old;
