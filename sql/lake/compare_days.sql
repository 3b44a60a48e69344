-- Counts and sums by day, of the file and of the lake. Where a value differs that is no number, the digest does.

with file as (
    select {day} as day, count(*) as rows, [{sums}] as sums, sum(hash(compared)) as digest
    from (select {values} from {relation} where {which}) as compared
    group by all
),

lake as (
    select {day} as day, count(*) as rows, [{sums}] as sums, sum(hash(compared)) as digest
    from (select {names} from lake.{table} where {which}) as compared
    group by all
)

select
    coalesce(file.day, lake.day)::varchar as date,
    coalesce(file.rows, 0) as file_rows,
    coalesce(lake.rows, 0) as lake_rows,
    coalesce(file.sums, []) as file_sums,
    coalesce(lake.sums, []) as lake_sums,
    file.rows is not distinct from lake.rows and file.digest is not distinct from lake.digest as equal
from file
full join lake on file.day is not distinct from lake.day
order by date;
