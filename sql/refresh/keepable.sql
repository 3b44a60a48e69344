-- The tables with rows by the day or the week; none where no day is archived.

select columns.schema_name || '.' || columns.table_name as relation, columns.column_name as column
from duckdb_columns() as columns
inner join duckdb_tables() using (database_name, schema_name, table_name)
where
    columns.database_name = current_database()
    and columns.column_name in ('date', 'week')
    and exists (from ops.archived_days);
