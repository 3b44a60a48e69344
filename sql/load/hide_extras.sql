update tidied
set extra = hidden_documents.document
from hidden_documents
where tidied.row_id = hidden_documents.row_id;
