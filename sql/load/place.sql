-- The fields of one place as a constant of the session: the shape for json_transform, and what is_odd looks at.

set variable "place:{place}" = (
    select
        {
            known: list(field),
            shape: json_group_object(field, if(kind in ('list', 'object', 'any'), 'JSON', 'VARCHAR')),
            scalar_paths: coalesce(list('/' || field) filter (kind not in ('list', 'object', 'any')), []),
            list_paths: coalesce(list('/' || field) filter (kind = 'list'), []),
            object_paths: coalesce(list('/' || field) filter (kind = 'object'), [])
        }
    from fields
    where place = '{place}'
);
