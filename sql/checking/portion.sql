create or replace temp table checked_days as
select date from portions where portion = {portion};

-- The same for views: DuckDB hands a constant on to what they are made of, and a list of days not always.
set variable first_checked = (select min(date) from checked_days);
set variable last_checked = (select max(date) from checked_days);
