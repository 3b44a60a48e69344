update staged
set message = hidden_documents.document
from hidden_documents
where hidden_documents.row_id % 2 = 0 and staged.rowid = hidden_documents.row_id // 2;

update staged
set extra = hidden_documents.document
from hidden_documents
where hidden_documents.row_id % 2 = 1 and staged.rowid = hidden_documents.row_id // 2;
