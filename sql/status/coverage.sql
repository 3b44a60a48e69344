-- Which days of which stream the warehouse holds whole.
select stream, date::varchar as date, rows::double as rows, epoch_ms(loaded_at)::double as loaded_at_ms
from ops.coverage
order by stream, date;
