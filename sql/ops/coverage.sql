select date::varchar as date, rows, loaded_at, pulled_at
from ops.coverage
where stream = getvariable('stream')
order by coverage.date;
