-- severity: warn
-- scope: full
-- meaning: One of your own tables was not copied for two nights or longer, or its newest instant is a week old. The
--   last run's log shows why a copy failed. Otherwise check whether the source is still updated.

with latest as (
    select max(date) + 1 as date
    from ops.coverage
    where not marts.is_snapshot(stream)
),

ages as (
    select
        own_tables.table_name,
        latest.date,
        latest.date - (own_tables.pulled_at at time zone 'Asia/Seoul')::date as copy_days,
        latest.date - (own_tables.newest_at at time zone 'Asia/Seoul')::date as newest_days
    from ops.own_tables as own_tables
    cross join latest
)

select
    date,
    table_name as subject,
    if(copy_days >= 2, 'The last copy of the table is several nights old.', 'The newest instant in the table is a week old.') as finding,
    if(copy_days >= 2, 'at most 1', 'at most 7') as expected,
    if(copy_days >= 2, copy_days, newest_days) as actual
from ages
where copy_days >= 2 or newest_days > 7;
