select distinct place || '.' || field || ' (' || kind || ')' as drift
from ops.drift_by_day
where stream = getvariable('stream') and date in (select date from days)
order by drift;
