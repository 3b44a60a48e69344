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

-- What each pull of the load did.

with finished as (
    select pull, list(date::varchar order by date) as dates, list(rows order by date) as sizes
    from ops.coverage
    where stream = getvariable('stream') and pull in (select pull from asked)
    group by pull
)

select
    asked.pull,
    coalesce(loaded_rows.rows, 0) as rows,
    coalesce((select list(date::varchar order by date) from versions where versions.pull = asked.pull), []) as days,
    coalesce(finished.dates, []) as finished,
    coalesce(finished.sizes, []) as finished_rows,
    (select coalesce(list(distinct date::varchar order by date::varchar), []) from held_sizes) as held,
    (select count(*) from ops.restatements where restatements.pull = asked.pull) as restatements,
    coalesce(
        (
            select json_group_object(note, records)
            from (
                select note, sum(records)::bigint as records
                from ops.load_notes
                where load_notes.pull = asked.pull
                group by note
            ) as notes
        ),
        '{}'
    )::varchar as notes,
    coalesce(
        (
            select list(distinct drift order by drift)
            from (
                select drift_by_day.place || '.' || drift_by_day.field || ' (' || drift_by_day.kind || ')' as drift
                from ops.drift_by_day
                inner join days on drift_by_day.date = days.date
                where drift_by_day.stream = getvariable('stream') and days.pull = asked.pull
            ) as found
        ),
        []
    ) as drift
from asked
left join loaded_rows using (pull)
left join finished using (pull);
