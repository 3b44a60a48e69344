-- Statements for asking: the functions that SQL may not call, and the possible values of parameters of the bundled queries,
-- of which the service may leave some out or empty.

-- name: acting_functions
-- Functions of DuckDB that may do more than read the warehouse: table functions, pragmas and functions with side effects,
-- but for those that only make rows or values, or describe the database.
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

-- name: campaigns
select campaign_id as value, campaign_name as name
from campaigns
union all
select user_journey_id, user_journey_name
from user_journeys;

-- name: channels
select distinct channel as value, null::varchar as name
from (
    select channel from daily_statistics
    union all
    select channel from daily_statistics_by_subchannel
    union all
    select channel from marts.daily_events
)
where channel <> '';

-- name: goals
select distinct goal as value, null::varchar as name
from marts.goals
where goal <> '';

-- name: journeys
select user_journey_id as value, user_journey_name as name
from user_journeys;

-- name: numbers
select distinct unsubscribe_number as value, null::varchar as name
from opt_outs_history
where unsubscribe_number <> '';

-- name: tags
select distinct tag as value, null::varchar as name
from campaign_tags
where tag <> '';

-- name: templates
select distinct template as value, null::varchar as name
from (
    select template from marts.template_versions
    union all
    select template from marts.daily_templates
)
where template <> '';
