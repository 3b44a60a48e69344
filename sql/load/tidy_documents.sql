update documents
set document = tidied.document, extra = tidied.extra
from tidied
where documents.row_id = tidied.row_id;
