-- The keys of an export's first record, in their order: as a rule every record has just these.

set variable record_keys = (
    select json_keys(data[1])
    from read_json(
        getvariable('files')[1],
        format = 'unstructured',
        records = true,
        columns = {data: 'JSON[]'},
        maximum_object_size = getvariable('largest_object')
    )
    limit 1
);
