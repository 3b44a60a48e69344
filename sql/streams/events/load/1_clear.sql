-- Removes the rows of the days that are replaced.
-- needs: days

-- name: mark
-- Marks every day on which these exports have events, including days other than the exports' own.
insert into ops.touched_days
select distinct 'events', date from events where export_date in (select date from days);

-- These days no longer count as removed, because their rows are loaded again.
delete from ops.removed_days where date in (select date from days);

-- name: table
delete from {table} where export_date in (select date from days);

-- name: contents
-- Deletes contents that no message refers to, so that the warehouse does not depend on what was loaded before. This reads all
-- messages, so it runs only after rows were removed.
delete from message_contents
where
    content_id not in (
        select content_id from sent_emails where content_id is not null
        union all
        select content_id from sent_push_messages where content_id is not null
    );

-- name: before
-- Whether the days were loaded before; and the days of other exports whose rows were removed as duplicates of them (`remove` in
-- 5_repeats). Rows that a removed day lost are not restored.
select
    (select count(*) from ops.coverage where stream = 'events' and date in (select date from days)) > 0 as is_loaded,
    coalesce(
        (
            select list(distinct date::varchar)
            from ops.load_notes
            where
                stream = 'events'
                and note in ('elsewhere', 'message_elsewhere')
                and subject in (select date::varchar from days)
                and date not in (select date from days)
                and date not in (select date from ops.removed_days)
        ),
        []
    ) as neighbors;
