update documents
set document = hidden_documents.document
from hidden_documents
where documents.row_id = hidden_documents.row_id;
