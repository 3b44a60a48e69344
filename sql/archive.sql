-- Statements for days whose events leave the file for the lake.

-- name: archivable
-- Days of events that may leave this file: covered, not archived yet, and only while no model has to be computed from
-- events.

create or replace temp view archivable as
select date, pull, loaded_at
from ops.coverage
where
    stream = 'events'
    and date not in (select date from ops.archived_days)
    and not exists (from ops.touched_days where touched_days.stream = 'events');

-- name: archived
select date::varchar as date from ops.archived_days order by date;

-- name: clear
delete from {table} where export_date in (select date from leaving_days);

-- name: days
select date::varchar as date, pull, loaded_at
from archivable
where date < $before::date
order by date;

-- name: leaving
-- Determines which of the days leave, and the tables that hold rows of exports.

create or replace temp table leaving_days as
select date from archivable where date::varchar in (select unnest(getvariable('given').days));

create or replace temp table leaving_contents as
select content_id from sent_emails where export_date in (select date from leaving_days)
union
select content_id from sent_push_messages where export_date in (select date from leaving_days);

insert into ops.archived_days by name
select
    leaving_days.date,
    count(events.export_date) as rows,
    getvariable('given').commit_id as commit_id,
    getvariable('given').archived_at as archived_at
from leaving_days
left join events on leaving_days.date = events.export_date
group by leaving_days.date;

select columns.table_name as "table"
from duckdb_columns() as columns
inner join duckdb_tables() as tables using (database_name, schema_name, table_name)
where
    columns.database_name = current_database()
    and columns.schema_name = 'main'
    and columns.column_name = 'export_date'
    and not tables.temporary
order by "table";

-- name: left
-- Deletes contents that no remaining message refers to.

delete from message_contents
where
    content_id in (select content_id from leaving_contents)
    and content_id not in (
        select content_id from sent_emails where content_id is not null
        union all
        select content_id from sent_push_messages where content_id is not null
    );

select leaving_days.date::varchar as date, archived_days.rows
from leaving_days
inner join ops.archived_days using (date)
order by leaving_days.date;
