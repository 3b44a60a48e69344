-- What stands under unknown keys, in places (`places`) where nothing else is odd about them. It stays in the documents as well,
-- whose shapes pass it over.

update staged
set message_extra = as_extra(members)
from (
    select rowid as row_id, unknown_members(message, 'message_data:' || carries) as members
    from staged
    where list_contains(getvariable('places'), 'message_data:' || carries)
) as unknown
where staged.rowid = unknown.row_id;

update buttons
set extra = as_extra(members)
from (select rowid as row_id, unknown_members(document, 'button') as members from buttons) as unknown
where buttons.rowid = unknown.row_id and list_contains(getvariable('places'), 'button');

update attachments
set extra = as_extra(members)
from (select rowid as row_id, unknown_members(document, 'attachment') as members from attachments) as unknown
where attachments.rowid = unknown.row_id and list_contains(getvariable('places'), 'attachment');
