-- The messages of a batch as their tables take them, and whether each holds something that its table cannot take.
-- src/warehouse/messages.ts fills the placeholders from the list of fields.

-- name: all
{tables}
-- The places in which something is of another kind than the specification says.
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

