-- The specification as data: macros, found without their schema, and the list of fields
-- (src/warehouse/fields.ts). It is a variable and no macro, since the settings name two of the fields.

set search_path = 'main,macros';

set variable specification = from_json(
    getvariable('specification'),
    '{
        "fields": [{"place": "VARCHAR", "field": "VARCHAR", "kind": "VARCHAR", "part": "VARCHAR"}],
        "record_fields": "VARCHAR[]",
        "shapes": "MAP(VARCHAR, VARCHAR)",
        "pointers": "MAP(VARCHAR, VARCHAR[])",
        "readable": "MAP(VARCHAR, STRUCT(fields VARCHAR[], pointers VARCHAR[], kinds VARCHAR[]))",
        "part_pointers": "MAP(VARCHAR, VARCHAR)",
        "without_known": "MAP(VARCHAR, JSON)",
        "scalars": "MAP(VARCHAR, STRUCT(fields VARCHAR[], pointers VARCHAR[]))"
    }'
);

create or replace temp table fields as
select unnest(getvariable('specification').fields, recursive := true);
