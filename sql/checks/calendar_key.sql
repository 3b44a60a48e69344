-- severity: stop
-- scope: full
-- meaning: The calendar has a day more than once, so that joins with it count twice; run `dawnload rebuild`, and report it
--   if it stays.
-- The one dimension that can break: it joins the list of public holidays. The others group by their id.

select
    date,
    'calendar' as subject,
    'A day is there more than once.' as finding,
    '1' as expected,
    count(*) as actual
from calendar
group by date
having count(*) > 1;
