-- The rows of days that stay, of the version before.

insert into {relation} by name
select {columns}
from {schema}.{aside}
where
    {column} in (select date_trunc('{partition}', date)::date from spared_days)
    and {column} not in (select date_trunc('{partition}', date)::date from dirty_days);

drop table {schema}.{aside};
