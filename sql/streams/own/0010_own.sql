-- Your own tables, copied each night into the schema own, and facts about them.

create schema own;

create table ops.own_tables (
    table_name varchar,
    source varchar,
    keys varchar[],
    unique_columns varchar[],
    rows bigint,
    -- The latest instant in the table, at most the time of the copy.
    newest_at timestamptz,
    pulled_at timestamptz,
    -- Rows whose unique columns equal those of another row.
    repeated bigint,
    -- The number of persons in the table, and how many of them have events.
    persons bigint,
    known_persons bigint
);

-- True for streams of snapshots, including own tables. They have no past days that could be missing.
create or replace macro marts.is_snapshot(stream) as
    stream in ('catalogs', 'brand_templates', 'alimtalk_templates', 'opt_outs') or starts_with(stream, 'own_');
