-- severity: stop
-- stream: events
-- scope: incremental
-- lookback: 7 days
-- meaning: The message of an event, a button or an attachment is stored more than once, so joins with events count it
--   more than once. Run `dawnload rebuild`; report it if it persists.
-- A send and a click a day later share an id, and both exports have the message. So the check looks for repetitions of messages of
-- the week before, too.

-- Compares hashes first, because only few messages repeat. The messages of a week do not fit into memory, nor do their hashes; the
-- hashes of the batch do, and those of earlier days are compared with them.
with hashes as (
    select hash(subject, event_id, position) as hashed
    from message_rows
    where event_id is not null and export_date in (select date from batch_days)
),

repeated_hashes as (
    select hashed
    from hashes
    group by hashed
    having count(*) > 1
    union all
    select hash(subject, event_id, position)
    from message_rows
    where
        event_id is not null
        and export_date in (select date from lookback_days)
        and export_date not in (select date from batch_days)
        and hash(subject, event_id, position) in (select hashed from hashes)
),

repeated as (
    select subject, event_id, position, list_sort(list(export_date)) as export_dates
    from message_rows
    where
        event_id is not null
        and export_date in (select date from lookback_days)
        and hash(subject, event_id, position) in (select hashed from repeated_hashes)
    group by subject, event_id, position
    having count(*) > 1
),

-- Rows that repeat a message of the previous week.
followers as (
    select subject, unnest(export_dates[2:]) as date, unnest(export_dates[:-2]) as earlier
    from repeated
)

select
    date,
    subject,
    'Rows are stored more than once.' as finding,
    '0' as expected,
    count(*) as actual
from followers
where date - earlier <= 7 and date in (select date from batch_days)
group by date, subject;
