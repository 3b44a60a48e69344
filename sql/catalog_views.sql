-- The typed views of catalogs.

-- name: create
-- Returns the statements that create a typed view for each catalog, catalog.<name>. A view has a column for each declared field; it
-- is null if an item's value has another type. (catalog_items has the whole item.) DuckDB ignores case in names, so a repeated name
-- gets a tilde and a number. No specified name has these. A field without a name gets no column, and a catalog without a name no
-- view.
with declared as (
    select
        catalog_name,
        position,
        name,
        type,
        'json_extract(item, ''' || replace(pointer(name), '''', '''''') || ''')' as value
    from catalog_fields
    where name <> ''
),

columns_found as (
    select catalog_name, position, 1 as part, name as column_name,
        case type
            when 'string' then format('if(json_type({0}) = ''VARCHAR'', {0} ->> ''$'', null)', value)
            when 'number'
            then format('if(json_type({0}) in (''BIGINT'', ''UBIGINT'', ''DOUBLE''), try_cast({0} ->> ''$'' as double), null)', value)
            when 'boolean' then format('if(json_type({0}) = ''BOOLEAN'', try_cast({0} ->> ''$'' as boolean), null)', value)
            -- Times are shown in UTC, whatever the reader's time zone. The pattern rejects words such as infinity.
            when 'time'
            then format(
                'case '
                || 'when json_type({0}) = ''VARCHAR'' and regexp_matches({0} ->> ''$'', ''^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}'') '
                || 'then if(regexp_matches({0} ->> ''$'', ''(Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)$'') and contains({0} ->> ''$'', '':''), '
                || 'try_cast({0} ->> ''$'' as timestamptz), try_cast({0} ->> ''$'' as timestamp) at time zone ''UTC'') '
                || 'when json_type({0}) in (''BIGINT'', ''UBIGINT'', ''DOUBLE'') '
                || 'then try(to_timestamp(try_cast({0} ->> ''$'' as double))) end',
                value
            )
            when 'array'
            then format(
                'if(json_type({0}) = ''ARRAY'' and len(list_filter(json_extract({0}, ''$[*]''), lambda one: json_type(one) <> ''VARCHAR'')) = 0, '
                || '{0} ->> ''$[*]'', null)',
                value
            )
            when 'object' then format('if(json_type({0}) = ''OBJECT'', {0}, null)', value)
            else value
        end as expression
    from declared
    where type is distinct from 'geo'
    union all
    -- The two elements are [longitude, latitude].
    select catalog_name, position, part, name || '_' || axis,
        format(
            'if(json_type({0}) = ''ARRAY'' and json_array_length({0}) = 2 '
            || 'and json_type({0}, ''$[' || part || ']'') in (''BIGINT'', ''UBIGINT'', ''DOUBLE''), '
            || 'try_cast({0} ->> ''$[' || part || ']'' as double), null)',
            value
        )
    from declared
    cross join (values (0, 'longitude'), (1, 'latitude')) as axes (part, axis)
    where type = 'geo'
),

named as (
    select
        *,
        row_number() over (partition by catalog_name, lower(column_name) order by position, part) as nth
    from columns_found
),

selected as (
    select
        catalog_name,
        string_agg(
            expression || ' as "' || replace(column_name, '"', '""') || if(nth = 1, '', '~' || nth) || '"',
            ', '
            order by position, part
        ) as columns_selected
    from named
    group by catalog_name
),

catalogs_named as (
    select catalog_name, row_number() over (partition by lower(catalog_name) order by catalog_name) as nth
    from catalogs
    where catalog_name <> ''
)

select
    catalogs_named.catalog_name,
    'create view catalog."' || replace(catalogs_named.catalog_name, '"', '""')
    || if(catalogs_named.nth = 1, '', '~' || catalogs_named.nth) || '" as select '
    || coalesce(selected.columns_selected, 'item_id as id')
    || ' from main.catalog_items where catalog_name = ''' || replace(catalogs_named.catalog_name, '''', '''''') || '''' as statement
from catalogs_named
left join selected using (catalog_name)
-- Original names come before names with a number.
order by catalogs_named.nth, catalogs_named.catalog_name;

-- name: drop
-- Returns the statements that drop the views of catalogs.
select 'drop view catalog."' || replace(view_name, '"', '""') || '"' as statement
from duckdb_views()
where database_name = current_database() and schema_name = 'catalog' and not internal;

-- name: note
-- params: left_out text[]
-- Records which catalogs have no view, on the day of the latest snapshot of the list of catalogs.
insert into ops.load_notes by name
select 'catalogs' as stream, date, pull, 'no_view' as note, unnest($left_out) as subject, 1 as records
from (select * from snapshots where list = '*' order by date desc limit 1) as latest;
