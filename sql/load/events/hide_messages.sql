update staged
set message = hidden_documents.document
from hidden_documents
where staged.rowid = hidden_documents.row_id;
