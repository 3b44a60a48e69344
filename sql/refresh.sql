-- Statements that refresh models.

-- name: clear
delete from {relation}
where {column} in (select date_trunc('{partition}', date)::date from dirty_days);

-- name: drop
drop {kind} if exists {relation};

-- name: fill
insert into {relation} by name {select};

-- name: fill_unique
-- Inserts rows whose key has no row yet. So of several days with a key, the earliest one is kept.
insert into {relation} by name
select fresh.*
from ({select}) as fresh
anti join {relation} as held on fresh.{unique_key} = held.{unique_key};

-- name: keepable
-- The tables with rows by day or week. Empty if no day was removed.
select columns.schema_name || '.' || columns.table_name as relation, columns.column_name as column
from duckdb_columns() as columns
inner join duckdb_tables() using (database_name, schema_name, table_name)
where
    columns.database_name = current_database()
    and columns.column_name in ('date', 'week')
    and exists (from ops.removed_days);

-- name: kept_columns
-- The columns that both versions of a model have, with the types of the new version.
select string_agg('try_cast("' || now.column_name || '" as ' || now.data_type || ') as "' || now.column_name || '"', ', ') as columns
from duckdb_columns() as now
inner join duckdb_columns() as before using (database_name, schema_name, column_name)
where
    now.database_name = current_database()
    and now.schema_name || '.' || now.table_name = '{relation}'
    and before.schema_name || '.' || before.table_name = '{schema}.{aside}';

-- name: known
select relation, kind, fingerprint from ops.models;

-- name: note
-- params: former_relations text[], relations text[], kinds text[], fingerprints text[]
-- Replaces the records about models by their current state, and deletes those about removed models.
delete from ops.models where relation in (select unnest($former_relations));
delete from ops.model_days where relation in (select unnest($former_relations));

insert into ops.models by name
select
    unnest($relations) as relation,
    unnest($kinds) as kind,
    unnest($fingerprints) as fingerprint;

-- name: note_days
-- Records the rows of the computed days; after a full refresh, of all days, because kept rows may have other columns now. The
-- digest is the sum of the hashes of whole rows, so their order does not matter, and a duplicate row counts twice.
delete from ops.model_days
where relation = '{relation}' and ({full} or date in (select date_trunc('{partition}', date)::date from dirty_days));

insert into ops.model_days by name
select
    '{relation}' as relation,
    held.{column} as date,
    count(*) as rows,
    sum(hash(held))::varchar as digest
from {relation} as held
where
    held.{column} is not null
    and ({full} or held.{column} in (select date_trunc('{partition}', date)::date from dirty_days))
group by held.{column};

-- name: put_back
-- Copies the rows of days that are not computed again from the previous version of the table.
insert into {relation} by name
select {columns}
from {schema}.{aside}
where
    {column} in (select date_trunc('{partition}', date)::date from spared_days)
    and {column} not in (select date_trunc('{partition}', date)::date from dirty_days);

drop table {schema}.{aside};

-- name: set_aside
alter table {relation} rename to {aside};

-- name: table
create or replace table {relation} as
from ({select}) limit 0;

-- name: view
create or replace view {relation} as {select};
