update documents
set document = redacted_documents.document
from redacted_documents
where documents.row_id = redacted_documents.row_id;
