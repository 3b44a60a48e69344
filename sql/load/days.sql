-- The days that this pull may replace: those that no later pull of the stream has replaced already.
-- So the warehouse is the same whatever order pulls are loaded in.

create or replace temp table days as
with asked as (
    select unnest(generate_series(getvariable('first_day'), getvariable('last_day'), interval 1 day))::date as date
)

select asked.date
from asked
anti join ops.coverage as later
    on
        later.stream = getvariable('stream')
        and later.date = asked.date
        and (later.pulled_at, later.pull) > (getvariable('pulled_at'), getvariable('pull'));
