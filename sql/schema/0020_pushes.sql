-- Pushes: answers of queries that went back to the service, as the ledger had them when a run published.

create table ops.pushes (
    push_id varchar,
    target varchar,
    name varchar,
    state varchar,
    begun_at timestamptz,
    updated_at timestamptz,
    rows bigint,
    sent bigint,
    unchanged bigint,
    rejected bigint,
    unknown bigint,
    erased bigint,
    calls bigint,
    note varchar
);
