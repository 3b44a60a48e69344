-- severity: warn
-- scope: full
-- meaning: Rows of one of your own tables repeat a value that should be unique (tables.NAME.unique), so its rows may count twice. Remove the
--   duplicates in the source.

select
    (pulled_at at time zone 'Asia/Seoul')::date as date,
    table_name as subject,
    'Rows repeat the unique columns of another row.' as finding,
    '0' as expected,
    repeated as actual
from ops.own_tables
where repeated > 0;
