-- Compares a new file with the published one, which is attached as `old`, and finds what the new file lacks.

-- name: head
select seq::double as seq, sum, erase from old.ops.journal;

-- name: days
-- Days of streams that this file does not cover, or covers with fewer rows. Rows of removed days stay counted. A record that is in
-- two exports counts on both days.
with elsewhere_before as (
    select stream, date, sum(records) as rows
    from old.ops.load_notes
    where note = 'elsewhere'
    group by all
),

elsewhere_after as (
    select stream, date, sum(records) as rows
    from ops.load_notes
    where note = 'elsewhere'
    group by all
)

select
    before.stream,
    null::varchar as "table",
    before.date::varchar as date,
    before.rows as before,
    after.rows as after,
    coalesce(after.pulled_at > before.pulled_at, false) as is_newer
from old.ops.coverage as before
left join ops.coverage as after on before.stream = after.stream and before.date = after.date
left join elsewhere_before on before.stream = elsewhere_before.stream and before.date = elsewhere_before.date
left join elsewhere_after on before.stream = elsewhere_after.stream and before.date = elsewhere_after.date
where
    -- Own tables may shrink, because their source may.
    not starts_with(before.stream, 'own_')
    and (
        after.date is null
        or after.rows + coalesce(elsewhere_after.rows, 0) < before.rows + coalesce(elsewhere_before.rows, 0)
    )
order by before.stream, before.date;

-- name: computed_tables
-- The tables of models by day. If the landed pages of a day in `days` were removed, its rows cannot be computed again.
select columns.schema_name || '.' || columns.table_name as "table"
from duckdb_columns() as columns
inner join old.ops.models as models
    on models.relation = columns.schema_name || '.' || columns.table_name and models.kind = 'table'
where
    columns.database_name = 'old'
    and columns.column_name = 'date'
    and columns.schema_name || '.' || columns.table_name in (
        select own.schema_name || '.' || own.table_name from duckdb_tables() as own where own.database_name = current_database()
    )
order by 1;

-- name: computed
-- params: days date[]
-- The rows of these days in one of the tables.
with before as (
    select date, count(*) as rows
    from old.{table}
    where date::varchar in (select unnest($days::varchar[]))
    group by date
),

after as (
    select date, count(*) as rows
    from {table}
    where date::varchar in (select unnest($days::varchar[]))
    group by date
)

select
    'events' as stream,
    '{table}' as "table",
    before.date::varchar as date,
    before.rows as before,
    coalesce(after.rows, 0) as after,
    false as is_newer
from before
left join after on before.date = after.date
where coalesce(after.rows, 0) < before.rows
order by before.date;
