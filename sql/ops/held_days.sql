select distinct date::varchar as date
from ops.held_back
where stream = getvariable('stream')
order by date;
