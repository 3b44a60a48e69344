-- Statements of pushes, on the published file.

-- name: views
-- The views of the file with their text.
select view_name as name, sql
from duckdb_views()
where not internal;

-- name: fields
-- The declared types of the fields of catalogs, as the last pull found them.
select catalog_name as catalog, name, type
from catalog_fields;

-- name: users
-- The user ids that the file knows.
select distinct user_id
from events
where user_id is not null;

-- name: known
-- The pushes that the file remembers.
select push_id as id, target
from ops.pushes;

-- name: pushes
-- Replaces all pushes by those of the ledger, given as JSON.
delete from ops.pushes;

insert into ops.pushes
select unnest(
    json_transform(
        getvariable('given').pushes,
        '[{
            "id": "VARCHAR", "target": "VARCHAR", "name": "VARCHAR", "state": "VARCHAR",
            "begunAt": "TIMESTAMPTZ", "updatedAt": "TIMESTAMPTZ", "rows": "BIGINT", "sent": "BIGINT",
            "unchanged": "BIGINT", "rejected": "BIGINT", "unknown": "BIGINT", "erased": "BIGINT",
            "calls": "BIGINT", "note": "VARCHAR"
        }]'
    ),
    recursive := true
);
