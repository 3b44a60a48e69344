-- Removals by the settings under `retention`, one row for each run and place.

create table ops.retention (
    removed_at timestamptz,
    place varchar,
    first_day date,
    last_day date,
    days bigint,
    items bigint
);
