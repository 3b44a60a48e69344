-- Of rows of this export that have the same key, one stays: that of its own day first, then by its content, so that
-- the choice does not depend on the order of the pages.

create or replace temp table keepers as
select candidates.* exclude (place)
from (
    select
        one.*,
        row_number() over (partition by {key} order by one.date <> one.export_date, one::varchar) as place
    from {table} as one
    where one.export_date = getvariable('first_day') and one.event_id in (select event_id from shared_ids)
) as candidates
where candidates.place = 1;

delete from {table}
where export_date = getvariable('first_day') and event_id in (select event_id from shared_ids);

insert into {table} by name
from keepers;
