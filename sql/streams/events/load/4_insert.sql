-- Inserts batches that workers have prepared.

-- name: rows
-- params: batch text
-- Inserts the rows of a batch into their tables, in the load's transaction.

insert into {table} by name
from read_parquet($batch || '/{table}.parquet');

-- name: contents
-- params: batch text
-- Inserts contents that are new.

insert into message_contents by name
from read_parquet($batch || '/{table}.contents.parquet') as contents
anti join message_contents using (content_id);
