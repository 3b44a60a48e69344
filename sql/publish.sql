-- Decides whether the private file is rewritten before it is published, and rewrites it.

-- name: is_loose
-- True if the file has many free blocks, which replaced rows leave. DuckDB reuses them, but returns only those at the end of the
-- file to the disk. Up to 16 MB of free blocks are acceptable.
select total_blocks > 1.4 * used_blocks and free_blocks * block_size > 16_777_216 as is_loose
from pragma_database_size()
where database_name = current_database();

-- name: copy_database
attach '{old}' as old (read_only);
attach '{new}' as new (storage_version 'v1.4.0');
copy from database old to new;
checkpoint new;
detach new;
