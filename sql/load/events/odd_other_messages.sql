-- Unknown channels, and messages that are no object. Recipients' numbers are looked for in the keys of an object; for the
-- rest see load/tidy.

create or replace temp table odd as
select rowid as row_id, 'message_data' as place, json(message) as document
from staged
where carries = 'other';
