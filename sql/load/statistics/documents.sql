-- E17 and E18: the records of an answer, a bare array.

create or replace temp table documents as
select row_number() over () as row_id, coalesce(record, 'null'::json) as document, null::json as extra
from (
    select unnest(answer) as record
    from read_json(
        getvariable('files'),
        format = 'unstructured',
        records = false,
        columns = {answer: 'JSON[]'},
        maximum_object_size = getvariable('largest_object')
    )
) as answers;
