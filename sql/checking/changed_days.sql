-- The days that a check has to look at, since what it looks at changed there, or on one of so many days before them.

create or replace temp table days_to_check as
select distinct (touched_days.date + steps.step)::date as date
from ops.touched_days
cross join (select unnest(range({reach} + 1))::integer as step) as steps
where touched_days.stream in ({streams});

delete from ops.checks
where name in ({names}) and (date is null or date in (select date from days_to_check));
