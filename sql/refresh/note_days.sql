-- What the model holds now of the days that were computed, or put back by a full refresh. The digest is a sum of the hashes of whole rows: it depends on no
-- order, and a row that stands twice counts twice.

create or replace temp table noted_days as
select distinct date_trunc('{partition}', date)::date as date
from (from dirty_days union all from spared_days where {full}) as days;

delete from ops.model_days
where relation = '{relation}' and date in (select date from noted_days);

insert into ops.model_days by name
select
    '{relation}' as relation,
    held.{column} as date,
    count(*) as rows,
    sum(hash(held))::varchar as digest
from {relation} as held
where held.{column} in (select date from noted_days)
group by held.{column};
