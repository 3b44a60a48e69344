select count(*) as total
from {table}
where date in (select date from days);
