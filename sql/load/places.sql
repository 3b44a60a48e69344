-- The fields of all places as one constant of the session: the shape for json_transform, and what is_odd looks at.

set variable places = (
    select map_from_entries(list((place, about)))
    from (
        select
            place,
            {
                known: list(field),
                shape: json_group_object(field, if(kind in ('list', 'object', 'any'), 'JSON', 'VARCHAR')),
                scalar_paths: coalesce(list('/' || field) filter (kind not in ('list', 'object', 'any')), []),
                list_paths: coalesce(list('/' || field) filter (kind = 'list'), []),
                object_paths: coalesce(list('/' || field) filter (kind = 'object'), [])
            } as about
        from fields
        group by place
    ) as by_place
);
