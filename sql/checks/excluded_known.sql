-- severity: warn
-- scope: full
-- meaning: None of the ids that the settings exclude has an event, so staff and test people may be counted. The list
--   may have another kind of id than user_id, or a different spelling.

select
    (select max(date) from ops.coverage where stream = 'events') as date,
    'exclude.user_ids' as subject,
    'None of the ids that the settings exclude has an event.' as finding,
    'at least 1' as expected,
    people as actual
from ops.exclusions
where people = 0 and exists (from ops.coverage where stream = 'events' and rows > 0);
