update messages
set message = redacted_documents.document
from redacted_documents
where redacted_documents.row_id % 2 = 0 and messages.rowid = redacted_documents.row_id // 2;

update staged
set extra = redacted_documents.document
from redacted_documents
where redacted_documents.row_id % 2 = 1 and staged.rowid = redacted_documents.row_id // 2;
