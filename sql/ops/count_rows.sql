-- How many rows the pages of a list hold, how many stood on a page before, and how many are equal to another. Rows are told apart by
-- the value at a pointer: one that comes again counts wherever it stands. Without a pointer a row is all that it holds, and may
-- rightly stand twice on one page. Hashes of 64 bits differ for all of a million rows but once in 40 million lists, and take a tenth
-- of the memory.

with pages as (
    select row_number() over () as page, rows_in(data, "templateListResponse") as documents
    from read_json(
        getvariable('files'),
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON', "templateListResponse": 'JSON'},
        maximum_object_size = getvariable('largest_object')
    )
),

listed as (
    select page, unnest(documents) as document
    from pages
),

hashed as (
    select
        page,
        hash(coalesce(json_extract_string(document, nullif(getvariable('id_pointer'), '')), document::varchar)) as value
    from listed
)

select
    count(*) as rows,
    if(getvariable('id_pointer') = '', count(distinct hash(page, value)), count(*)) - count(distinct value) as repeated,
    if(getvariable('id_pointer') = '', count(*) - count(distinct value), 0) as equal
from hashed;
