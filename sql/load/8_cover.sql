-- Records the days as covered, even if they have no rows, unless the pull is incomplete.

delete from ops.coverage where getvariable('load').complete and stream = getvariable('load').stream and date in (select date from days);

insert into ops.coverage by name
select
    getvariable('load').stream as stream,
    days.date,
    count(facts.day) as rows,
    getvariable('load').loaded_at as loaded_at,
    days.pull,
    days.pulled_at
from days
left join (select {day} as day from {table} where {day} between getvariable('load').first_day and getvariable('load').last_day) as facts
    on days.date = facts.day
where getvariable('load').complete
group by days.date, days.pull, days.pulled_at;
