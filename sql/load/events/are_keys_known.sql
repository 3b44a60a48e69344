select
    coalesce(
        list_has_all(struct_extract(getvariable('place:record'), 'known'), getvariable('record_keys'))
        and len(list_distinct(getvariable('record_keys'))) = len(getvariable('record_keys')),
        false
    ) as known;
