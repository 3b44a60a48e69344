-- The steps of every load: start, removal of data about the replaced days, notes, end.
-- needs: extras
-- leaves: asked, day_contents, days, first_days, held_back_sizes, loaded_rows, versions

-- name: begin
-- params: pulls text[], first_days date[], last_days date[], instants timestamptz[], stream text
-- Starts a load of one or more pulls of a stream. The latest pull of a day counts, so the order in which pulls are loaded does not
-- matter.
create or replace temp table asked as
select
    unnest($pulls) as pull,
    unnest($first_days)::date as first_day,
    unnest($last_days)::date as last_day,
    unnest($instants)::timestamptz as pulled_at;

-- The days that each pull may replace, because no later pull has replaced them, and the order of the pulls.
create or replace temp table versions as
with asked_days as (
    select pull, pulled_at, unnest(generate_series(first_day, last_day, interval 1 day))::date as date
    from asked
)

select
    asked_days.*,
    row_number() over (partition by date order by pulled_at, pull) as version,
    row_number() over (partition by date order by pulled_at desc, pull desc) = 1 as latest
from asked_days
anti join ops.coverage as later
    on
        later.stream = $stream
        and later.date = asked_days.date
        and (later.pulled_at, later.pull) > (asked_days.pulled_at, asked_days.pull);

-- Each day that changes, with its pull after the load.
create or replace temp table days as
select date, pull, pulled_at
from versions
where latest;

-- Notes without a date are recorded on the first day of their pull.
create or replace temp view first_days as
select pull, min(date) as date
from versions
group by pull;

create or replace temp table loaded_rows (pull varchar, rows bigint);
create or replace temp table day_contents (date date, content hugeint);

-- Initially, no day is held back (shared/losses).
create or replace temp table held_back_sizes (date date, campaign_id varchar, rows bigint, messages bigint);

-- The pulls whose days change, and the first and last of all these days.
select distinct
    pull,
    (select min(date) from days)::varchar as first_day,
    (select max(date) from days)::varchar as last_day
from versions;

-- name: contents
-- params: stream text, first_day date, last_day date
-- A checksum of each day's rows and notes. It is taken before and after the days are replaced, and leaves out pull ids, so that
-- equal data has equal checksums.
insert into day_contents
with noted as (
    select date, hash('rows', rows) as content
    from ops.coverage
    where stream = $stream
    union all
    select date, hash(note, subject, records)
    from ops.load_notes
    where stream = $stream
    union all
    select drift.date, hash(drift)
    from ops.drift_by_day as drift
    where stream = $stream
    union all
    select date, hash(*columns(lambda name: name <> 'pull'))
    from {table}
    where date between $first_day::date and $last_day::date
    union all
    select date, hash('part', *columns(lambda name: name <> 'pull'))
    from {parts}
    where date between $first_day::date and $last_day::date
)

select date, sum(content)
from noted
semi join days using (date)
group by date;

-- name: clear_notes
-- params: stream text, complete boolean
-- Deletes the notes of these days and the sizes of their held-back answers. Both belong to replaced pulls.
delete from ops.load_notes where stream = $stream and date in (select date from days) and $complete;
delete from ops.drift_by_day where stream = $stream and date in (select date from days) and $complete;

delete from ops.held_back
using days
where
    held_back.stream = $stream
    and held_back.campaign_id is null
    and held_back.date = days.date
    and held_back.pulled_at < days.pulled_at;

-- name: drift
-- params: stream text
-- Records the differences from the specification that the extra columns of this load show. An `extra` with a whole document has
-- conforming fields too.

insert into ops.drift_by_day by name
with alike as (
    select date, place, extra, count(*) as records
    from extras
    group by all
),

odd as (
    select
        date,
        records,
        unnest(
            from_json(
                _oddities(extra::varchar, place),
                '[{"place": "VARCHAR", "field": "VARCHAR", "kind": "VARCHAR", "type": "VARCHAR"}]'
            ),
            recursive := true
        )
    from alike
)

select
    $stream as stream,
    date,
    if(place in ('statistic', 'statistic_by_subchannel'), 'record', place) as place,
    field,
    kind,
    min(type) as example_type,
    sum(records)::bigint as records
from odd
group by date, odd.place, field, kind;

-- name: cover
-- params: complete boolean, stream text, loaded_at timestamptz, first_day date, last_day date
-- Marks the days as covered, even those without rows, unless the pull is incomplete.
delete from ops.coverage where $complete and stream = $stream and date in (select date from days);

insert into ops.coverage by name
select
    $stream as stream,
    days.date,
    count(facts.day) as rows,
    $loaded_at as loaded_at,
    days.pull,
    days.pulled_at
from days
left join (select {day} as day from {table} where {day} between $first_day::date and $last_day::date) as facts
    on days.date = facts.day
where $complete
group by days.date, days.pull, days.pulled_at;

-- name: end
-- params: stream text, repaired_pulls text[], complete boolean, loaded_at timestamptz
-- Marks the pulls as loaded, and changed days as dirty.
insert into ops.touched_days
select $stream, date
from days
where date not in (
    select date
    from day_contents
    group by date
    having count(*) = 2 and min(content) = max(content)
);

-- Records which answers could be read only after some characters were replaced.
insert into ops.load_notes by name
select $stream as stream, first_days.date, pull, 'mended' as note, count(*) as records
from (select unnest($repaired_pulls) as pull) as repaired
inner join first_days using (pull)
semi join days using (pull, date)
group by all;

-- Other readings of the export, and readings under another id, are pulls with the same key in their id. Only this one stays.
delete from ops.loads
where
    pull in (select pull from asked)
    or (stream = 'events' and split_part(pull, '/', 3) in (select split_part(pull, '/', 3) from asked));

insert into ops.loads by name
select
    asked.pull,
    $stream as stream,
    asked.first_day as first_date,
    asked.last_day as last_date,
    asked.pulled_at,
    $complete as complete,
    coalesce(loaded_rows.rows, 0) as rows,
    $loaded_at as loaded_at
from asked
left join loaded_rows using (pull);

-- The results of each pull.

select pull, 'day' as fact, date::varchar as name, 0 as number
from versions
union all
select pull, 'rows', '', rows
from loaded_rows
union all
select pull, 'finished', date::varchar, rows
from ops.coverage
where stream = $stream and pull in (select pull from asked)
union all
select pull, 'note', note, sum(records)::bigint
from ops.load_notes
where pull in (select pull from asked)
group by pull, note
union all
select days.pull, 'drift', drift.place || '.' || drift.field || ' (' || drift.kind || ')', 0
from ops.drift_by_day as drift
inner join days using (date)
where drift.stream = $stream
group by all

order by fact, name;
