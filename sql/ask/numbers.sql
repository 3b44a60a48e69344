select distinct unsubscribe_number as value, null::varchar as name
from opt_outs_history
where unsubscribe_number is not null;
