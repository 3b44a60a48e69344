-- The days are covered from now on, those without a row too, unless the pull is incomplete.

delete from ops.coverage where getvariable('complete') and stream = getvariable('stream') and date in (select date from days);

insert into ops.coverage by name
select
    getvariable('stream') as stream,
    days.date,
    count(facts.day) as rows,
    getvariable('loaded_at') as loaded_at,
    days.pull,
    days.pulled_at
from days
left join (select {day} as day from {table} where {day} between getvariable('first_day') and getvariable('last_day')) as facts
    on days.date = facts.day
where getvariable('complete')
group by days.date, days.pull, days.pulled_at;
