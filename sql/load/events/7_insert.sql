-- Inserts a batch that a worker has prepared.

-- name: rows
-- A batch to its tables, within the load's transaction.

insert into {table} by name
from read_parquet(getvariable('batch') || '/{table}.parquet');

-- name: contents
-- Contents that no message had before.

insert into message_contents by name
from read_parquet(getvariable('batch') || '/message_contents.parquet') as contents
anti join message_contents using (content_id);
