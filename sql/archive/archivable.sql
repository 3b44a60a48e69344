-- Days of events that may leave this file: held, not archived yet, and nothing is to be computed of events any more.

create or replace temp view archivable as
select date, pull, loaded_at
from ops.coverage
where
    stream = 'events'
    and date not in (select date from ops.archived_days)
    and not exists (from ops.touched_days where touched_days.stream = 'events');
