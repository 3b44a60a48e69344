-- Makes macros available without their schema name, and loads the list of fields that each stream declares
-- (src/streams/*/index.ts, and reference/fields.ts).

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

-- The lookups of macros by place. A variable instead of macros, because the names of two fields depend on the brand. It
-- is small, because it is copied wherever it is read.
set variable specification = from_json(
    getvariable('specification'),
    '{"shapes": "MAP(VARCHAR, VARCHAR)", "keys": "MAP(VARCHAR, VARCHAR[])", "texts": "MAP(VARCHAR, VARCHAR[])"}'
);
