-- The streams that loads changed days of, and whether the events of any day left this file.

select
    coalesce((select list(distinct stream) from ops.touched_days), []) as touched,
    exists (from ops.archived_days) as archived;
