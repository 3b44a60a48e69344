-- severity: stop
-- stream: events
-- A record stands there once, by id, event name and time. Looked at on the days that were loaded last: the others were
-- looked at then.

with latest as (
    select date
    from ops.coverage
    where stream = 'events'
    order by loaded_at desc, date desc
    limit 7
),

repeated as (
    select export_date
    from events
    where event_id is not null and export_date in (select date from latest)
    group by export_date, hash(event_id, event_name, occurred_at), event_id, event_name, occurred_at
    having count(*) > 1
)

select
    export_date as date,
    'events' as subject,
    'Records stand there more than once.' as finding,
    '0' as expected,
    count(*) as actual
from repeated
group by export_date;
