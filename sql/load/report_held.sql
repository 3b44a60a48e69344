select distinct date::varchar as date
from held_sizes
order by date;
