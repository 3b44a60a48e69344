select count(*) from read_json_objects(
    getvariable('files'), format = 'unstructured', maximum_object_size = getvariable('largest_object')
);
