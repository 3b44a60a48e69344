select date::varchar as date, rows, changed
from staged_parts
order by staged_parts.date;
