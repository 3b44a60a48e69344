-- Every schema, table, view and column of the file with the comment that it carries. kind is what `comment on` calls it;
-- DuckDB takes no comment on a schema.
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
