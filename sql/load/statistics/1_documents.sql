-- E17 and E18: the records of the answers, bare arrays.

create or replace temp table documents as
select
    row_number() over () as row_id,
    asked.pull,
    asked.first_day,
    asked.last_day,
    coalesce(record, 'null'::json) as document,
    null::json as extra
from (
    select map_extract_value(map(getvariable('paths'), getvariable('path_pulls')), filename) as pull, unnest(answer) as record
    from read_json(
        getvariable('files'),
        format = 'unstructured',
        records = false,
        columns = {answer: 'JSON[]'},
        maximum_object_size = getvariable('largest_object'),
        filename = true
    )
) as answers
inner join asked using (pull);
