-- Records a day as covered if every list was read completely on it; its row count is the sum over all lists.

delete from ops.coverage
where getvariable('load').complete and stream = getvariable('load').stream and date in (select date from days);

insert into ops.coverage by name
select
    getvariable('load').stream as stream,
    days.date,
    coalesce(sum(snapshots.rows), 0)::bigint as rows,
    getvariable('load').loaded_at as loaded_at,
    days.pull,
    days.pulled_at
from days
left join snapshots using (pull, date)
where getvariable('load').complete
group by days.date, days.pull, days.pulled_at;

insert into loaded_rows
select pull, sum(rows)
from snapshots
group by pull;

-- Notes differences between the announced and the received number of rows.
insert into ops.load_notes by name
select getvariable('load').stream as stream, date, pull, 'count_differs' as note, list as subject, abs(announced - rows) as records
from snapshots
where announced <> rows;
