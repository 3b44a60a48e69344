-- E18: how much each of some answers holds, without loading them.
select
    filename as file,
    len(answer) as rows,
    coalesce(list_sum(list_transform(answer, lambda record: whole(record ->> 'message_sent'))), 0)::bigint as messages
from read_json(
    getvariable('files'),
    format = 'unstructured',
    records = false,
    columns = {answer: 'JSON[]'},
    maximum_object_size = getvariable('largest_object'),
    filename = true
);
