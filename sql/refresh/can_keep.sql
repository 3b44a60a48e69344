-- Whether the model was made before, its rows by the same unit of time, and days are archived.

select
    exists (from ops.archived_days)
    and exists (
        from duckdb_columns() as columns
        inner join duckdb_tables() using (database_name, schema_name, table_name)
        where
            columns.database_name = current_database()
            and columns.schema_name || '.' || columns.table_name = '{relation}'
            and columns.column_name = '{column}'
    ) as can_keep;
