-- The comments of tables and columns, in English and Korean.

-- The dictionary inside the file. A DuckDB comment has only one language, and a schema has none; this table has the
-- other texts.
create table ops.dictionary (
    schema_name varchar,
    relation_name varchar,
    column_name varchar,
    en varchar,
    ko varchar,
    label varchar
);

-- The fingerprint of the descriptions in the file, so that they are not read in a night without changes.
create table ops.descriptions (
    fingerprint varchar
);
