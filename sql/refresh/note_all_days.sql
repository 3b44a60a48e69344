-- The same of every day, after a full refresh: of those that stayed too, since their rows may have other columns now.

insert into ops.model_days by name
select
    '{relation}' as relation,
    held.{column} as date,
    count(*) as rows,
    sum(hash(held))::varchar as digest
from {relation} as held
where held.{column} is not null
group by held.{column};
