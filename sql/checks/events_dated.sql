-- severity: stop
-- stream: events
-- scope: incremental
-- meaning: The day of events is not the Korean day of their time, so they count on a wrong day. Run `dawnload rebuild`;
--   report it if it persists.
-- If a time is more than a day after the export, or 31 days before it, the record has the day of the export instead.

select
    date,
    'events' as subject,
    'The day of records differs from the day of their time.' as finding,
    '0' as expected,
    count(*) as actual
from events
semi join batch_days using (date)
where counted_day(epoch_us(occurred_at), export_date) <> date
group by date;
