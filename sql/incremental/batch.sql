-- The days of one batch, and the days that they look back at.

create or replace temp table batch_days as
select date '1970-01-01' + unnest(getvariable('batch'))::integer as date;

create or replace temp table lookback_days as
select distinct date - back::integer as date
from batch_days
cross join range({lookback} + 1) as days (back);

-- The same for views: DuckDB hands a constant on to what they are made of, and a list of days not always.
set variable first_lookback_day = date '1970-01-01' + {first} - {lookback};
set variable first_batch_day = date '1970-01-01' + {first};
set variable last_batch_day = date '1970-01-01' + {last};
