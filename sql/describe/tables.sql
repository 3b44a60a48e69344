-- The dictionary inside the file. DuckDB keeps one comment, in one language, and none for a schema: here is the rest.
create table if not exists ops.dictionary (
    schema_name varchar,
    relation_name varchar,
    column_name varchar,
    en varchar,
    ko varchar,
    label varchar
);

-- What the descriptions were written from, so that a night on which nothing changed needs no look at them.
create table if not exists ops.descriptions (
    fingerprint varchar
);
