-- Rows of several exports that are the same thing: the export of its own day wins, else the earliest. The losers stand
-- aside, as they are, and come back when the winner's day is replaced without them.

create or replace temp table rivals as
with all_rows as (
    select event_id, {event_name} as event_name, {occurred_at} as occurred_at, date, export_date, false as aside
    from {table} as one
    where event_id in (select event_id from contested)

    union all
    select event_id, event_name, occurred_at, date, export_date, true
    from ops.set_aside
    where table_name = '{table}' and event_id in (select event_id from contested)
)

select
    event_id,
    event_name,
    occurred_at,
    arg_min(export_date, {stray: date <> export_date, export_date: export_date}) as winner,
    list(date) || list(export_date) as days
from all_rows
group by event_id, event_name, occurred_at
having count(distinct export_date) > 1 or bool_or(aside);

-- Rows of exports that are not being loaded move as well.
insert into ops.touched_days
select 'events', unnest(days) from rivals
except
select stream, date from ops.touched_days;

create or replace temp table losers as
select one.*
from {table} as one
inner join rivals
    on
        one.event_id = rivals.event_id
        and {event_name} is not distinct from rivals.event_name
        and {occurred_at} is not distinct from rivals.occurred_at
where one.export_date <> rivals.winner;

delete from {table} as one
using rivals
where
    one.event_id = rivals.event_id
    and {event_name} is not distinct from rivals.event_name
    and {occurred_at} is not distinct from rivals.occurred_at
    and one.export_date <> rivals.winner;

insert into {table} by name
select unnest(json_transform(aside.content, getvariable('structure')))
from ops.set_aside as aside
inner join rivals
    on
        aside.event_id = rivals.event_id
        and aside.event_name is not distinct from rivals.event_name
        and aside.occurred_at is not distinct from rivals.occurred_at
where aside.table_name = '{table}' and aside.export_date = rivals.winner;

delete from ops.set_aside as aside
using rivals
where
    aside.table_name = '{table}'
    and aside.event_id = rivals.event_id
    and aside.event_name is not distinct from rivals.event_name
    and aside.occurred_at is not distinct from rivals.occurred_at
    and aside.export_date = rivals.winner;

insert into ops.set_aside by name
select
    '{table}' as table_name,
    one.event_id,
    {event_name} as event_name,
    {occurred_at} as occurred_at,
    one.date,
    one.export_date,
    to_json(one) as content
from losers as one;
