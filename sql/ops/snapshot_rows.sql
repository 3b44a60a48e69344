select list, rows
from ops.snapshots
where stream = getvariable('stream')
qualify row_number() over (partition by list order by date desc, pulled_at desc, pull desc) = 1;
