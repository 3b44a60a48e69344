-- What messages of a channel usually look like: whatever comes first, if it is as the specification says.

set variable "usual:message_data:{channel}" = (
    select {
        keys: json_keys(message),
        types: json_type(message, struct_extract(place_of('message_data:{channel}'), 'scalar_paths'))
    }
    from (select message from staged where carries = '{channel}' limit 1) as first_one
    where
        list_has_all(struct_extract(place_of('message_data:{channel}'), 'known'), json_keys(message))
        and not list_has_any(
            json_type(message, struct_extract(place_of('message_data:{channel}'), 'scalar_paths')),
            ['OBJECT', 'ARRAY']
        )
);
