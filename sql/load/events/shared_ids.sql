-- Ids that several records of this export have. The hash keeps the common case, where there are none, small.

create or replace temp table shared_ids as
with several as (
    select hash(event_id) as hashed
    from events
    where export_date = getvariable('first_day') and event_id is not null
    group by hashed
    having count(*) > 1
)

select event_id
from events
where export_date = getvariable('first_day') and hash(event_id) in (select hashed from several)
group by event_id
having count(*) > 1;
