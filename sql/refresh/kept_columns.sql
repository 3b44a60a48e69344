-- The columns that both versions of a model have, in the types of the new one.

select string_agg('try_cast("' || now.column_name || '" as ' || now.data_type || ') as "' || now.column_name || '"', ', ') as columns
from duckdb_columns() as now
inner join duckdb_columns() as before using (database_name, schema_name, column_name)
where
    now.database_name = current_database()
    and now.schema_name || '.' || now.table_name = '{relation}'
    and before.schema_name || '.' || before.table_name = '{schema}.{aside}';
