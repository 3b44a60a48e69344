-- The days that a refresh leaves as they are, since their events left this file.

create or replace temp table spared_days as
select date '1970-01-01' + unnest(getvariable('spared_days'))::integer as date;
