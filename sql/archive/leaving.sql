-- Which of the days leave, and the tables that hold rows of exports.

create or replace temp table leaving_days as
select date from archivable where date::varchar in (select unnest(getvariable('days')));

create or replace temp table leaving_contents as
select content_id from sent_emails where export_date in (select date from leaving_days)
union
select content_id from sent_push_messages where export_date in (select date from leaving_days);

insert into ops.archived_days by name
select
    leaving_days.date,
    count(events.export_date) as rows,
    getvariable('commit_id') as commit_id,
    getvariable('archived_at') as archived_at
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
