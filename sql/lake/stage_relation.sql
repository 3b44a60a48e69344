-- The rows of a relation, and its parts that the lake does not hold so: its days, or all of it where it has none. The same rows
-- in any order have the same version. A part without rows has no version.

create or replace temp table staged as
select {values} from {relation};

create or replace temp table staged_parts as
with file_parts as (
    select {day} as date, count(*) as rows, count(*) || ' ' || sum(hash(staged)) as version
    from staged
    group by date
),

lake_parts as (
    select date, version
    from held_parts
    where relation = '{name}'
)

select
    coalesce(file_parts.date, lake_parts.date) as date,
    coalesce(file_parts.rows, 0) as rows,
    file_parts.version,
    file_parts.version is distinct from lake_parts.version as changed
from file_parts
full join lake_parts on file_parts.date is not distinct from lake_parts.date;
