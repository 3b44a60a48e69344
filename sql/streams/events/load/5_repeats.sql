-- If several exports have the same record, keeps one copy.
-- needs: days
-- leaves: changed_exports, note_counts, repeats

-- name: find
-- params: first_day date, last_day date
-- Finds ids that several records have, in these exports and those of the 31 days around them. Compares hashes, because they need
-- less memory than ids.

create or replace temp table repeated_ids as
with own as (
    select hash(event_id) as hashed
    from events
    where
        export_date between $first_day::date and $last_day::date
        and export_date in (select date from days)
        and event_id is not null
),

others as (
    select hash(event_id) as hashed
    from events
    where
        export_date between $first_day::date - interval 31 days and $last_day::date + interval 31 days
        and export_date not in (select date from days)
        and event_id is not null
)

select hashed
from own
group by hashed
having count(*) > 1
union
select hashed
from others
where hashed in (select hashed from own);

-- The exports whose rows change: those being loaded, and those that lose rows to them.
create or replace temp table changed_exports as
select date from days;

create or replace temp table repeats as
select export_date, count(*) filter (different > 1) as shared_id, sum(records - different) as repeated
from (
    select export_date, event_id, count(*) as records, count(distinct (event_name, occurred_at)) as different
    from events
    where export_date in (select date from days) and hash(event_id) in (select hashed from repeated_ids)
    group by export_date, event_id
    having count(*) > 1
) as ids
group by export_date;

create or replace temp table lost_without_id (date date, export_date date, winner date, records bigint);

-- Counts the records of each export before any is removed, so that the notes do not depend on which exports are loaded together.
-- outside: records that happened outside the export's day.
create or replace temp table note_counts as
select
    export_date,
    count(*) as records,
    count(*) filter (korean_day(epoch_us(occurred_at)) <> export_date) as outside,
    count(*) filter (event_id is null) as no_id,
    count(*) filter (event_name is null) as no_event_name,
    count(*) filter (occurred_at is null) as no_time,
    count(*) filter (date <> export_date) as stray,
    count(*) filter (korean_day(epoch_us(occurred_at)) <> date) as odd_time
from events
where
    export_date between $first_day::date and $last_day::date
    and export_date in (select date from days)
group by export_date;

select
    (select count(*) from repeated_ids) as ids,
    coalesce(sum(no_id) > 0, false) as has_no_ids,
    coalesce(list({day: export_date::varchar, records: records, outside: outside}), []) as days
from note_counts;

-- name: surplus
-- params: first_day date, last_day date
-- Keeps one of several equal rows: in the export of its own day, else in the earliest export, else the first by content. All parts
-- of a message come from the same export. The choice does not depend on the order of pages or loads. The exports
-- that lose copies are noted, because they must be loaded again if the export with the kept row is replaced.

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
        one.export_date between $first_day::date - interval 31 days and $last_day::date + interval 31 days
        and hash(one.event_id) in (select hashed from repeated_ids)
    window
        record as (partition by {record} order by one.date <> one.export_date, one.export_date),
        same as (partition by {key} order by one.date <> one.export_date, one.export_date, (one)::varchar)
) as candidates
where place > 1 or export_date <> winner;

-- name: records_without_id
create or replace temp view without_id as
select rowid as row_id, 1 as place_in_record, *
from events
where event_id is null and occurred_at is not null;

-- name: messages_without_id
create or replace temp view without_id as
select rowid as row_id, 1 as place_in_record, *
from {table}
where event_id is null;

-- name: elements_without_id
create or replace temp view without_id as
select rowid as row_id, position as place_in_record, *
from {table}
where event_id is null;

-- name: surplus_without_id
-- params: first_day date, last_day date
-- Finds equal records without an id (equal time included) in exports of adjacent days. Equal records inside one export all stay.
-- For each removed record, one equal message is removed, too.
create or replace temp table surplus as
with contents as (
    select row_id, place_in_record, date, export_date, hash(*columns(* exclude (row_id, export_date))) as content
    from without_id
    where export_date between $first_day::date - interval 1 day and $last_day::date + interval 1 day
),

numbered as (
    select *, row_number() over (partition by content, export_date order by row_id) as place
    from contents
),

copies as (
    select *, first_value(export_date) over (partition by content, place order by date <> export_date, export_date) as winner
    from numbered
    qualify abs(export_date - winner) = 1
),

counted as (
    select
        *,
        row_number() over (partition by date, export_date, winner, place_in_record order by content, place) as nth
    from copies
)

select counted.*
from counted
left join lost_without_id as lost using (date, export_date, winner)
where '{table}' = 'events' or nth <= lost.records;

-- name: lost_without_id
create or replace temp table lost_without_id as
select date, export_date, winner, count(*) as records
from surplus
group by date, export_date, winner;

-- name: remove
delete from {table} where rowid in (select row_id from surplus);

insert into changed_exports
select export_date from surplus where export_date not in (select date from ops.removed_days)
except
select date from changed_exports;

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

-- Removed rows may belong to exports that are not part of this load.
insert into ops.touched_days
select distinct 'events', unnest([date, export_date]) from surplus where export_date not in (select date from days);
