update parts
set document = tidied.document, extra = tidied.extra
from tidied
where parts.rowid = tidied.row_id;
