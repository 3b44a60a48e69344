-- The state of the file as far as descriptions go: what there is, with which comments, and what was noted last.
with things as (
    select concat_ws('.', schema_name, table_name) as name, comment
    from duckdb_tables()
    where database_name = current_database() and not internal and not temporary
    union all
    select concat_ws('.', schema_name, view_name) as name, comment
    from duckdb_views()
    where database_name = current_database() and not internal and not temporary
    union all
    select concat_ws('.', schema_name, table_name, column_name) as name, comment
    from duckdb_columns()
    where database_name = current_database() and not internal
)

select
    (select md5(string_agg(concat_ws(' ', name, comment), chr(10) order by name)) from things) as found,
    (select count(*)::integer from ops.dictionary) as words,
    (select fingerprint from ops.descriptions) as noted;
