-- Ids that exports of other days hold too; the hash spares the memory of the ids themselves. Any other day may hold one, so
-- all ids would have to be read; but where ids begin with a time, as they often do, most days lie outside of these bounds,
-- and DuckDB passes them over without reading.

set variable first_id = (select min(event_id) from events where export_date = getvariable('first_day'));
set variable last_id = (select max(event_id) from events where export_date = getvariable('first_day'));

insert into contested
with own as (
    select hash(event_id) as hashed
    from events
    where export_date = getvariable('first_day') and event_id is not null
),

others as (
    select event_id
    from events
    where
        export_date <> getvariable('first_day')
        and event_id between getvariable('first_id') and getvariable('last_id')

    union all
    select event_id from ops.set_aside where export_date <> getvariable('first_day')
)

select distinct event_id
from others
where hash(event_id) in (select hashed from own);
