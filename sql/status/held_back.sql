-- Days whose last answer was held back: the next run asks for them again, however old they are.

select distinct stream, date::varchar as date
from ops.held_back;
