-- A month at a time, so that any number of days fits into memory.

create or replace temp table checked_days as
select date from days_to_check where portion = {portion};
