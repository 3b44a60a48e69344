-- Statements that describe tables and columns in the file, and fill the seed tables.

-- name: columns
-- Every column of every table and view, in order.
select
    columns.schema_name,
    columns.table_name as relation_name,
    case when views.view_name is null then 'table' else 'view' end as kind,
    columns.column_name,
    columns.data_type
from duckdb_columns() as columns
left join duckdb_views() as views
    on
        columns.database_name = views.database_name
        and columns.schema_name = views.schema_name
        and columns.table_name = views.view_name
where columns.database_name = current_database() and not columns.internal
order by columns.schema_name, columns.table_name, columns.column_index;

-- name: own_tables
-- The own tables, with their number of rows and the instant of the copy.
select table_name as name, rows::double as rows, epoch_ms(pulled_at)::double as copied_at
from ops.own_tables
order by name;

-- name: comment
comment on {kind} {name} is '{text}';

-- name: note
-- params: fingerprint text
delete from ops.descriptions;
insert into ops.descriptions values ($fingerprint);

-- name: noted
select fingerprint from ops.descriptions;

-- name: relations
-- Every schema, table, view and column of the file, with its comment. `kind` is the object type for `comment on`. DuckDB does not
-- support comments on schemas.
select 'schema' as kind, schema_name, null as relation_name, null as column_name, null as comment, 0 as place
from duckdb_schemas()
where database_name = current_database() and (not internal or schema_name = 'main')
union all
select 'table', schema_name, table_name, null, comment, 0
from duckdb_tables()
where database_name = current_database() and not internal and not temporary
union all
select 'view', schema_name, view_name, null, comment, 0
from duckdb_views()
where database_name = current_database() and not internal and not temporary
union all
select 'column', schema_name, table_name, column_name, comment, column_index
from duckdb_columns()
where database_name = current_database() and not internal
order by schema_name, relation_name nulls first, place;

-- name: seed
-- Fills a small table from a file of this package.
delete from {relation};

insert into {relation} by name
from read_csv('{file}', header = true, comment = '#');

-- name: replace_words
-- params: words json
delete from ops.dictionary where {which};

insert into ops.dictionary
select unnest(
    from_json(
        $words,
        '[{
            "schema_name": "varchar", "relation_name": "varchar", "column_name": "varchar", "en": "varchar", "ko": "varchar",
            "label": "varchar"
        }]'
    ),
    recursive := true
);
