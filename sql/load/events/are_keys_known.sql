select
    coalesce(
        list_has_all(struct_extract(place_of('record'), 'known'), getvariable('record_keys'))
        and len(list_distinct(getvariable('record_keys'))) = len(getvariable('record_keys')),
        false
    ) as known;
