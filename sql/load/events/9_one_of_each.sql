-- One of several equal rows stays: that of the export of its own day, else of the earliest export (all parts of a
-- message come from one), then by content, so that the choice does not depend on the order of pages or of loads. When the export that has it is replaced,
-- the exports that gave theirs up are loaded again; so it is noted.

create or replace temp table surplus as
select *
from (
    select
        one.rowid as row_id,
        one.date,
        one.export_date,
        first_value(one.export_date) over record as winner,
        row_number() over same as place
    from {table} as one
    where
        one.export_date between getvariable('first_day') - interval 31 days and getvariable('last_day') + interval 31 days
        and hash(one.event_id) in (select hashed from repeated_ids)
    window
        record as (partition by {record} order by one.date <> one.export_date, one.export_date),
        same as (partition by {key} order by one.date <> one.export_date, one.export_date, (one)::varchar)
) as candidates
where place > 1 or export_date <> winner;

delete from {table} where rowid in (select row_id from surplus);

insert into ops.load_notes by name
select
    'events' as stream,
    surplus.export_date as date,
    any_value(coalesce(days.pull, coverage.pull)) as pull,
    if('{table}' = 'events', 'elsewhere', 'message_elsewhere') as note,
    surplus.winner::varchar as subject,
    count(*) as records
from surplus
left join days on surplus.export_date = days.date
left join ops.coverage on coverage.stream = 'events' and surplus.export_date = coverage.date
where surplus.export_date <> surplus.winner
group by surplus.export_date, surplus.winner;

-- Rows of exports that are not being loaded may go as well.
insert into ops.touched_days
select 'events', unnest([date, export_date]) from surplus where export_date not in (select date from days)
except
select stream, date from ops.touched_days;
