-- severity: warn
-- stream: events
-- scope: incremental
-- meaning: Records happened outside the day that was exported. They are kept, count on their own day, and count once if
--   the export of that day has them too. Act only if there are many.

-- Late records may also be in the export of their own day by now.

with strays as (
    select export_date, count(*) as records, min(date) filter (date < export_date) as first_date
    from events
    where export_date in (select date from batch_days) and date <> export_date
    group by export_date
)

select
    strays.export_date as date,
    'events' as subject,
    'Records are outside the window of their export'
    || if(
        exports.key is null,
        '.',
        ', the oldest of them on ' || first_date || '; `dawnload exports resume ' || exports.key
        || '` reads the export of that day again at no cost.'
    ) as finding,
    '0' as expected,
    strays.records as actual
from strays
left join ops.exports on exports.state = 'loaded' and strays.first_date = exports.date;
