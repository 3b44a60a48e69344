-- One week at a time, so that memory does not grow with the days to compute.

create or replace temp table stale as
select date from stale_days where date_trunc('week', date) = getvariable('week');

create or replace temp table within_reach as
select distinct date - back::integer as date
from stale
cross join range(coalesce(getvariable('reach'), 0) + 1) as days (back);
