update staged
set message = tidied.document, message_extra = tidied.extra
from tidied
where staged.rowid = tidied.row_id;
