-- severity: stop
-- scope: full
-- meaning: The calendar lists a day more than once, so joins with it count twice. Run `dawnload rebuild`; report it if
--   it persists.
-- Only the calendar can have duplicates, because it joins public holidays. The other dimensions group by their id.

select
    date,
    'calendar' as subject,
    'A day is listed more than once.' as finding,
    '1' as expected,
    count(*) as actual
from calendar
group by date
having count(*) > 1;
