-- E21: the records on some pages of an export, as JSON. A page that is not an answer with records stops the load by its
-- name: nothing of it can be told apart.

create or replace temp view records as
select
    coalesce(
        unnest(
            case
                when status = 'success' and data is not null then data
                else error('not a page of records: ' || filename)
            end
        ),
        'null'::json
    ) as record,
    null::json as extra
from read_json(
    getvariable('files'),
    format = 'unstructured',
    records = true,
    columns = {status: 'VARCHAR', data: 'JSON[]'},
    maximum_object_size = getvariable('largest_object'),
    filename = true
);
