-- The specification as data: macros, found without their schema, and the list of fields
-- (src/warehouse/fields.ts).

set search_path = 'main,macros';

create or replace temp table fields as
select
    unnest(
        from_json(
            getvariable('lookups') -> 'fields', '[{"place": "VARCHAR", "field": "VARCHAR", "kind": "VARCHAR", "part": "VARCHAR"}]'
        ),
        recursive := true
    );

-- How json_transform reads a document of each place: scalars as text, everything else as JSON.
set variable shapes = from_json(getvariable('lookups') -> 'shapes', '"MAP(VARCHAR, VARCHAR)"');

-- The questions of load/shapes_found about the documents of each place: pointers to its fields, those fields whose values have to be
-- readable as something, and where the place lies inside of another one.
set variable pointers = from_json(getvariable('lookups') -> 'pointers', '"MAP(VARCHAR, VARCHAR[])"');
set variable readable = from_json(
    getvariable('lookups') -> 'readable',
    '"MAP(VARCHAR, STRUCT(fields VARCHAR[], pointers VARCHAR[], kinds VARCHAR[]))"'
);
set variable part_pointers = from_json(getvariable('lookups') -> 'part_pointers', '"MAP(VARCHAR, VARCHAR)"');

-- A patch that takes the known fields out of a document of each place.
set variable without_known = from_json(getvariable('lookups') -> 'without_known', '"MAP(VARCHAR, JSON)"');

-- The fields of each place that are no list or object by the specification.
set variable scalars = from_json(
    getvariable('lookups') -> 'scalars', '"MAP(VARCHAR, STRUCT(fields VARCHAR[], pointers VARCHAR[]))"'
);
