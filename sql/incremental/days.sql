-- Days that a refresh chose: dirty ones, those that it leaves as they are, or those of one batch.

create or replace temp table {relation} as
select date '1970-01-01' + unnest(getvariable('{relation}'))::integer as date;
