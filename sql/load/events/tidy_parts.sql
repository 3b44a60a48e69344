update {table}
set document = tidied.document, extra = tidied.extra
from tidied
where {table}.rowid = tidied.row_id;
