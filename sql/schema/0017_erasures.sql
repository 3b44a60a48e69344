-- Erasures of persons, as data/private/erasures.jsonl lists them. No id and no digest of a person is here.

create table ops.erasures (
    line bigint,
    sum varchar,
    erased_at timestamptz,
    persons bigint,
    records bigint,
    rows bigint,
    late_records bigint
);
