-- Ids that exports of other days hold too; the hash spares the memory of the ids themselves.

insert into contested
with own as (
    select hash(event_id) as hashed
    from events
    where export_date = getvariable('first_day') and event_id is not null
),

others as (
    select event_id from events where export_date <> getvariable('first_day')
    union all
    select event_id from ops.set_aside where export_date <> getvariable('first_day')
)

select distinct event_id
from others
where hash(event_id) in (select hashed from own);
