-- severity: warn
-- scope: full
-- meaning: Almost nobody in one of your own tables has an event, so answers that join them find nobody. The column
--   under tables.NAME.keys may have other ids than the service, or a different spelling.

select
    (own_tables.pulled_at at time zone 'Asia/Seoul')::date as date,
    own_tables.table_name as subject,
    'Almost nobody in the table has an event.' as finding,
    'at least 1%' as expected,
    round(100 * own_tables.known_persons / own_tables.persons, 1) || '%' as actual
from ops.own_tables as own_tables
where
    own_tables.persons > 0
    and own_tables.known_persons < 0.01 * own_tables.persons
    and exists (from ops.coverage where stream = 'events' and rows > 0);
