-- The days that hold events, from the first one that is dirty.

select distinct (date - date '1970-01-01')::integer as day
from events
where date >= date '1970-01-01' + getvariable('first_dirty_day')::integer;
