select
    stream,
    count(*)::double as days,
    min(date)::varchar as first_date,
    max(date)::varchar as last_date,
    sum(rows)::double as rows
from lake.{ops}.coverage
group by stream
order by stream;
