-- Models and checks have to look at these days again; and the pulls are loaded now.

insert into ops.touched_days
select getvariable('stream'), date from days
except
select stream, date from ops.touched_days;

-- Answers that could only be read with some of their characters replaced; of exports, events/9_notes tells.
insert into ops.load_notes by name
select getvariable('stream') as stream, first_days.date, pull, 'mended' as note, count(*) as records
from (select unnest(getvariable('repaired_pulls')) as pull) as repaired
inner join first_days using (pull)
semi join days using (pull, date)
group by all;

-- An export whose pages were read again is one pull with a later revision behind its `#`.
delete from ops.loads
where
    pull in (select pull from asked)
    or (stream = 'events' and split_part(pull, '#', 1) in (select split_part(pull, '#', 1) from asked));

insert into ops.loads by name
select
    asked.pull,
    getvariable('stream') as stream,
    asked.first_day,
    asked.last_day,
    asked.pulled_at,
    getvariable('complete') as complete,
    coalesce(loaded_rows.rows, 0) as rows,
    getvariable('loaded_at') as loaded_at
from asked
left join loaded_rows using (pull);

-- The facts of each pull of the load, one a row. Held-back facts belong to the one pull that was loaded alone.

select pull, 'day' as fact, date::varchar as name, 0 as number
from versions

union all
select pull, 'rows', '', rows
from loaded_rows

union all
select pull, 'finished', date::varchar, rows
from ops.coverage
where stream = getvariable('stream') and pull in (select pull from asked)

union all
select asked.pull, 'held', held_sizes.date::varchar, 0
from held_sizes
cross join asked
group by asked.pull, held_sizes.date

union all
select pull, 'restatements', '', count(*)
from ops.restatements
where pull in (select pull from asked)
group by pull

union all
select pull, 'note', note, sum(records)::bigint
from ops.load_notes
where pull in (select pull from asked)
group by pull, note

union all
select days.pull, 'drift', drift.place || '.' || drift.field || ' (' || drift.kind || ')', 0
from ops.drift_by_day as drift
inner join days using (date)
where drift.stream = getvariable('stream')
group by all

order by fact, name;
