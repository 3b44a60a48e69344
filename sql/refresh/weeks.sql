select distinct date_trunc('week', date)::date::varchar as week
from stale_days
order by week;
