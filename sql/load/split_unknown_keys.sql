-- Takes out of documents what stands under unknown keys, where nothing else is odd about them: no value of another kind, and
-- nothing inside of an object. It stays in the documents as well, whose shape passes it over.

update {relation}
set {extra} = as_extra(members)
from (
    select rowid as row_id, unknown_members({document}, {place}) as members
    from {relation}
    where {document} is not null and {condition}
) as unknown
where {relation}.rowid = unknown.row_id;
