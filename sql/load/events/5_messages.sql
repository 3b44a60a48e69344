-- The messages of a batch in the columns of their tables, with a flag for messages that hold a value which the table
-- cannot hold. src/warehouse/load-events.ts fills the placeholders from the list of fields.

-- name: all
{tables}
-- The places with a value of another kind than the specification says.
select distinct place
from (
{places}
) as looked_at
where nonconforming;

-- name: table
create or replace table {table} as
with read as (
    select *, json_transform({document}, shape('{place}')) as m
    from {relation}
    where {condition}
),

with_part as (
    select *, {part} as part
    from read
)

select
    records,
    {columns},
    extra,
    {nonconforming} as nonconforming
from with_part;

