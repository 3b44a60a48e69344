-- The specification as data: macros, found without their schema, and the list of fields
-- (src/warehouse/fields.ts).

set search_path = 'main,macros';

create or replace temp table fields as
select
    unnest(
        from_json(
            getvariable('specification') -> 'fields',
            '[{"place": "VARCHAR", "field": "VARCHAR", "kind": "VARCHAR", "part": "VARCHAR"}]'
        ),
        recursive := true
    );

-- What macros look up of a place. A variable and no macros, since two of the fields have the name of the brand; it is small, since
-- it is copied wherever it is read.
set variable specification = from_json(
    getvariable('specification'),
    '{"shapes": "MAP(VARCHAR, VARCHAR)", "scalars": "MAP(VARCHAR, VARCHAR[])", "without_known": "MAP(VARCHAR, JSON)"}'
);
