-- Writes a batch as temporary files with a row for each record, compressed fast; the load's transaction reads them. The
-- tables are dropped, since the next batch needs their memory.

-- name: all
copy (
    select * exclude (is_candidate, carries, message)
    from staged
) to (getvariable('batch') || '/events.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- Each distinct content once.
copy (
    select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
    from (
{contents}
    ) as contents
    where content_id is not null
    group by content_id
) to (getvariable('batch') || '/message_contents.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- Messages of unknown channels, and messages that are not an object.
create or replace table other_messages as
select records, channel, message as message_data
from messages
where carries = 'other';

drop table staged;
drop table messages;
drop table buttons;
drop table attachments;
{tables}

-- name: table
copy (
    select unnest(records, max_depth := 2), * exclude ({left_out})
    from {table}
) to (getvariable('batch') || '/{table}.parquet') (format parquet, compression lz4_raw, parquet_version v2);
drop table {table};
