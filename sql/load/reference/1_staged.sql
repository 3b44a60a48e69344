-- A staged table has the columns of its history, for the rows of each list and pull.

create or replace temp table staged_{table} as
select null::varchar as list, null::date as date, null::varchar as pull, * exclude (valid_from, valid_to)
from {table}_history
limit 0;
