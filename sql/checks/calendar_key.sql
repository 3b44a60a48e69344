-- severity: stop
-- scope: full
-- meaning: The calendar lists a day more than once, so joins with it count twice. Run `dawnload rebuild`; report it if
--   it persists.
-- The one dimension that can break: it joins the list of public holidays. The others group by their id.

select
    date,
    'calendar' as subject,
    'A day is listed more than once.' as finding,
    '1' as expected,
    count(*) as actual
from calendar
group by date
having count(*) > 1;
