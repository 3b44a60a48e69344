-- A batch as files, a row for each record, which the load's transaction reads: files of a moment, packed fast.

copy (
    select * exclude (rest, is_candidate, carries, message)
    from staged
) to (getvariable('batch') || '/events.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, nonconforming)
    from text_messages
) to (getvariable('batch') || '/text_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, nonconforming)
    from text_message_attachments
) to (getvariable('batch') || '/text_message_attachments.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, nonconforming)
    from friendtalk_messages
) to (getvariable('batch') || '/friendtalk_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, nonconforming)
    from alimtalk_messages
) to (getvariable('batch') || '/alimtalk_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, nonconforming)
    from brand_messages
) to (getvariable('batch') || '/brand_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, carries, nonconforming)
    from shown_messages
    where carries = 'in-app-message'
) to (getvariable('batch') || '/in_app_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, carries, nonconforming)
    from shown_messages
    where carries = 'in-web-message'
) to (getvariable('batch') || '/in_web_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, nonconforming)
    from web_push_messages
) to (getvariable('batch') || '/web_push_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, nonconforming)
    from webhook_messages
) to (getvariable('batch') || '/webhook_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records, nonconforming)
    from message_buttons
) to (getvariable('batch') || '/message_buttons.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), title, content_id, extra
    from sent_emails
) to (getvariable('batch') || '/sent_emails.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), link, content_id, extra
    from sent_push_messages
) to (getvariable('batch') || '/sent_push_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

copy (
    select unnest(records, max_depth := 2), * exclude (records)
    from other_messages
) to (getvariable('batch') || '/other_messages.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- Each content once.
copy (
    select content_id, any_value(title) as title, any_value(body) as body, any_value(html) as html
    from (
        select content_id, null as title, body, html from sent_emails
        union all
        select content_id, title, body, null from sent_push_messages
    ) as contents
    where content_id is not null
    group by content_id
) to (getvariable('batch') || '/message_contents.parquet') (format parquet, compression lz4_raw, parquet_version v2);

-- The next batch needs the memory.
drop table staged;
drop table messages;
drop table buttons;
drop table attachments;
drop table text_messages;
drop table text_message_attachments;
drop table friendtalk_messages;
drop table alimtalk_messages;
drop table brand_messages;
drop table shown_messages;
drop table web_push_messages;
drop table webhook_messages;
drop table message_buttons;
drop table sent_emails;
drop table sent_push_messages;
drop table other_messages;
