-- What the model holds now of the days that were computed; after a full refresh of every day, also of those that stayed, since
-- their rows may have other columns now. The digest is a sum of the hashes of whole rows: it depends on no order, and a row that
-- stands twice counts twice.

delete from ops.model_days
where relation = '{relation}' and ({full} or date in (select date_trunc('{partition}', date)::date from dirty_days));

insert into ops.model_days by name
select
    '{relation}' as relation,
    held.{column} as date,
    count(*) as rows,
    sum(hash(held))::varchar as digest
from {relation} as held
where
    held.{column} is not null
    and ({full} or held.{column} in (select date_trunc('{partition}', date)::date from dirty_days))
group by held.{column};
