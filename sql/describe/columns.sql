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
