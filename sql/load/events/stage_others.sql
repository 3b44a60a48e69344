-- No field of an unknown place is known, so all of the message is left over.

create or replace table others as
select
    staged.event_id,
    staged.date,
    staged.export_date,
    staged.channel,
    if(starts_with(staged.message, '{'), tidied.extra, tidied.extra -> 'value') as message_data
from staged
inner join tidied on staged.rowid = tidied.row_id
where staged.carries = 'other';
