select date::varchar as date, pull, epoch_ms(loaded_at)::double as loaded_at_ms
from ops.coverage
where stream = 'events';
