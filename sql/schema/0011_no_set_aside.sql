-- Rows that two exports hold stand once. The export that gave them up is loaded again when the other one is replaced: which
-- one that is, is noted in ops.load_notes, so that nothing has to stand aside.

insert into ops.load_notes by name
select
    'events' as stream,
    export_date as date,
    if(table_name = 'events', 'elsewhere', 'message_elsewhere') as note,
    date::varchar as subject,
    count(*) as records
from ops.set_aside
group by all;

update ops.coverage
set rows = (select count(*) from events where events.export_date = coverage.date)
where stream = 'events' and date in (select export_date from ops.set_aside);

drop table ops.set_aside;
