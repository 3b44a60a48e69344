-- severity: stop
-- stream: events
-- scope: days
-- means: The day of events is not the Korean day of the time at which they happened, so that they count on a wrong day;
--   run `dawnload rebuild`, and report it if it stays.

select
    date,
    'events' as subject,
    'The day of records is not that of their time.' as finding,
    '0' as expected,
    count(*) as actual
from events
semi join checked_days using (date)
where korean_day(epoch_us(occurred_at)) <> date
group by date;
