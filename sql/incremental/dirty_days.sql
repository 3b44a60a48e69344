-- The days to compute again, as the refresh chose them.

create or replace temp table dirty_days as
select date '1970-01-01' + unnest(getvariable('dirty_days'))::integer as date;
