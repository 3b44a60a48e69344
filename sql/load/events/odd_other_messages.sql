-- Unknown channels, and messages that are no object. Recipients' numbers are looked for in the keys of an object; what
-- cannot be searched is kept only where the setting keeps numbers too. The landed page has it in any case.

create or replace temp table odd as
select rowid as row_id, 'message_data' as place, json(message) as document
from staged
where carries = 'other';
