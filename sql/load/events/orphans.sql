-- Before a day is replaced: ids of that day that other exports hold too, in rows that stand aside for it.

create or replace temp table contested as
select distinct event_id
from ops.set_aside
where
    export_date <> getvariable('first_day')
    and event_id in (
        select event_id from events where export_date = getvariable('first_day')
        union
        select event_id from ops.set_aside where export_date = getvariable('first_day')
    );
