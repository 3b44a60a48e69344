-- How many rows the pages of a list hold, and how many of them differ by the value at a pointer, or as a whole without one. Hashes
-- of 64 bits differ for all of a million rows but once in 40 million lists, and take a tenth of the memory.

with listed as (
    select unnest(rows_in(data, "templateListResponse")) as document
    from read_json(
        getvariable('files'),
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON', "templateListResponse": 'JSON'},
        maximum_object_size = getvariable('largest_object')
    )
)

select
    count(*) as rows,
    count(distinct hash(coalesce(json_extract_string(document, nullif(getvariable('id_pointer'), '')), document::varchar))) as different
from listed;
