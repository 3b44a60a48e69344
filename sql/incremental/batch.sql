-- The days that those of one batch look back at, and its bounds.

create or replace temp table lookback_days as
select distinct date - back::integer as date
from batch_days
cross join range({lookback} + 1) as days (back);

-- The same for views: DuckDB hands a constant on to what they are made of, and a list of days not always.
set variable first_batch_day = date '1970-01-01' + getvariable('batch_days')[1]::integer;
set variable last_batch_day = date '1970-01-01' + getvariable('batch_days')[-1]::integer;
set variable first_lookback_day = getvariable('first_batch_day') - {lookback};
