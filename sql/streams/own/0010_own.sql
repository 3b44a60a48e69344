-- Your own tables, which each night copies into the schema own, and what is known of them.

create schema own;

create table ops.own_tables (
    table_name varchar,
    source varchar,
    keys varchar[],
    unique_columns varchar[],
    rows bigint,
    -- The latest instant in the table that is not later than its copy.
    newest_at timestamptz,
    pulled_at timestamptz,
    -- Rows that repeat the unique columns of another row.
    repeated bigint,
    -- The different persons in the table, and those of them that the events know.
    persons bigint,
    known_persons bigint
);

-- Snapshots, own tables among them, have no past days that could be missing.
create or replace macro marts.is_snapshot(stream) as
    stream in ('catalogs', 'brand_templates', 'alimtalk_templates', 'opt_outs') or starts_with(stream, 'own_');
