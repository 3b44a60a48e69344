select distinct date::varchar as date
from lake.{main}.events
where date in ({days});
