-- How rows that stood aside are read again: everything as text, which the insert casts, and JSON as it is.

set variable structure = (
    select json_group_object(column_name, if(data_type = 'JSON', 'JSON', 'VARCHAR'))
    from duckdb_columns()
    where database_name = current_database() and schema_name = 'main' and table_name = '{table}'
);
