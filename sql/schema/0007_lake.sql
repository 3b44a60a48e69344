-- For copies of the warehouse: the state of each day of a model, and the days whose events were removed from this file.

-- Grain: one incremental model of ops.models and partition of it: a KST day, or the Monday of a week. Days without rows have
-- no row.
create table ops.model_days (
    relation varchar,
    date date,
    rows bigint,
    digest varchar
);

-- Days whose events were removed from this file by the settings under `retention`.
create table ops.removed_days (
    date date,
    rows bigint,
    removed_at timestamptz
);
