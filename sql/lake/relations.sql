-- What goes into the lake: every table and view of main, ops and marts, with the part of it that changes at once.
-- `stream`: replaced where ops.coverage says so. `incremental`: replaced where ops.model_days says so. Neither: as a whole.

with shapes as (
    select
        schema_name,
        table_name,
        list({'name': column_name, 'type': data_type} order by column_index) as columns,
        list(column_name) as names
    from duckdb_columns()
    where database_name = 'warehouse' and schema_name in ('main', 'ops', 'marts')
    group by schema_name, table_name
)

select
    shapes.schema_name as schema,
    shapes.table_name as name,
    shapes.columns,
    case
        when shapes.schema_name = 'main' and list_contains(shapes.names, 'export_date') then 'events'
        when shapes.schema_name = 'marts' and shapes.table_name = 'event_people' then 'events'
        when shapes.schema_name = 'main' and shapes.table_name in ('daily_statistics', 'daily_conversions') then 'statistics'
        when
            shapes.schema_name = 'main'
            and shapes.table_name in ('daily_statistics_by_subchannel', 'daily_conversions_by_subchannel')
            then 'statistics_by_subchannel'
    end as stream,
    models.relation is not null as incremental,
    case
        when list_contains(shapes.names, 'export_date') then 'export_date'
        when list_contains(shapes.names, 'date') then 'date'
        when list_contains(shapes.names, 'week') then 'week'
    end as day
from shapes
left join ops.models
    on
        models.kind = 'table'
        and models.relation = if(shapes.schema_name = 'main', '', shapes.schema_name || '.') || shapes.table_name
order by shapes.schema_name, shapes.table_name;
