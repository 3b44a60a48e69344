-- What was computed of days whose events left this file (ops.archived_days) stays: the events are not there to compute it
-- again. So it does of days that look back at such a day, and in a full refresh, where the rows of before are kept, of days
-- on which its records may have counted too: unless their own events changed.

create or replace temp table spared_days as
with near as (
    select archived_days.date + step::integer as date
    from ops.archived_days
    cross join range(1, {lookback} + 1) as steps (step)
    where {keeps}

    union

    select archived_days.date + step::integer
    from ops.archived_days
    semi join ops.load_notes
        on load_notes.stream = 'events' and load_notes.note = 'stray' and archived_days.date = load_notes.date
    cross join range(-31, 32) as steps (step)
    where {full} and {keeps}
)

select date
from (
    select date from ops.archived_days
    union
    select date from near
    where date not in (select date from ops.touched_days where stream = 'events' and date is not null)
) as days
where {spares};
