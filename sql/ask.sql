-- Statements for questions: the functions that SQL may not call, the tables that it reads, and the possible values of parameters.

-- name: acting_functions
-- DuckDB functions that may do more than read the warehouse: table functions, pragmas, and functions with side effects. Functions
-- that only generate rows or values, or describe the database, are left out.
select function_name as name
from duckdb_functions()
where
    internal
    and function_name not in (
        'current_query', 'duckdb_columns', 'duckdb_constraints', 'duckdb_databases', 'duckdb_functions', 'duckdb_indexes',
        'duckdb_keywords', 'duckdb_schemas', 'duckdb_settings', 'duckdb_tables', 'duckdb_types', 'duckdb_variables',
        'duckdb_views', 'error', 'gen_random_uuid', 'histogram_values', 'json_each', 'json_tree', 'pg_timezone_names',
        'pragma_table_info', 'query_table', 'random', 'repeat_row', 'setseed', 'summary', 'table_info', 'unnest', 'uuid',
        'uuidv4', 'uuidv7'
    )
group by function_name
having bool_and(function_type in ('pragma', 'table', 'table_macro') or coalesce(has_side_effects, false));

-- name: parsed
-- params: sql text
-- The tables and views that the selects in `sql` read. Null and not sure for other statements. Also not sure if a value names a
-- table.
with parsed as materialized (
    select json_serialize_sql($sql::varchar) as tree
)
select
    if(
        (tree ->> '$.error')::boolean,
        null,
        (
            select coalesce(list(distinct concat_ws('.', nullif(node.value ->> '$.schema_name', ''), node.value ->> '$.table_name')), [])
            from json_tree(tree) as node
            where (node.value ->> '$.type') = 'BASE_TABLE'
        )
    ) as tables,
    not (tree ->> '$.error')::boolean and not list_contains(tree ->> '$..function_name', 'query_table') as is_sure
from parsed;

-- name: known
-- params: parameter text
-- The values that a parameter may have in the warehouse, with their names; for campaigns and user journeys, also their channels.
with held as (
    select 'campaign' as parameter, campaign_id as value, campaign_name as name, channels from campaigns
    union all
    select unnest(['campaign', 'journey']), user_journey_id, user_journey_name, channels from user_journeys
    union all
    select 'channel', channel, null, [] from daily_statistics
    union all
    select 'channel', channel, null, [] from daily_statistics_by_subchannel
    union all
    select 'channel', channel, null, [] from marts.daily_events
    union all
    select 'goal', goal, null, [] from marts.goals
    union all
    select 'holdout', holdout, null, [] from ops.holdouts
    union all
    select 'number', unsubscribe_number, null, [] from opt_outs_history
    union all
    select 'tag', tag, null, [] from campaign_tags
    union all
    select 'template', template, null, [] from marts.template_versions
    union all
    select 'template', template, null, [] from marts.daily_templates
)
select distinct value, name, coalesce(channels, []) as channels
from held
where parameter = $parameter and value <> ''
order by value;
