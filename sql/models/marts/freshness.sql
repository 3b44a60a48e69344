-- grain: one stream that is loaded or wanted.
--
-- Missing days come from `ops.days`, as in `status` and in checks. Days that are paid for, need your decision or were given up are
-- not missing. days_behind_newest counts the days after a stream's last one that are missing, paid for or need a decision, up to
-- the latest day of any stream. Reference data comes in complete snapshots, so it has no missing days; it is behind by the nights
-- since the last snapshot. A snapshot is dated one day after the latest statistics.

with held as (
    select
        stream,
        marts.is_snapshot(stream) as is_snapshot,
        min(date) as first_date,
        max(date) as last_date,
        count(*) as days_covered,
        count(*) filter (is_removed) as days_removed,
        max(pulled_at) as last_pulled_at,
        if(is_snapshot, arg_max(rows, date), coalesce(sum(rows) filter (not is_removed), 0))::bigint as rows
    from (select *, stream = 'events' and date in (select date from ops.removed_days) as is_removed from ops.coverage)
    group by stream
),

latest as (
    select coalesce(max(last_date) filter (not is_snapshot), max(last_date) - 1) as last_date
    from held
),

wanted as (
    select
        days.stream,
        count(*) filter (days.state = 'missing') as days_missing,
        count(*) filter (days.date <= latest.last_date and (held.last_date is null or days.date > held.last_date)) as days_behind
    from ops.days as days
    left join held on days.stream = held.stream
    cross join latest
    where days.state in ('missing', 'under_way', 'waits')
    group by days.stream
),

streams as (
    select stream from held
    union
    select stream from wanted
)

select
    streams.stream,
    held.first_date,
    held.last_date,
    coalesce(held.days_covered - held.days_removed, 0) as days_held,
    coalesce(held.days_removed, 0) as days_removed,
    coalesce(wanted.days_missing, 0) as days_missing,
    if(held.is_snapshot, greatest(0, latest.last_date - (held.last_date - 1)), coalesce(wanted.days_behind, 0)) as days_behind_newest,
    held.last_pulled_at,
    coalesce(held.rows, 0) as rows
from streams
left join held using (stream)
left join wanted using (stream)
cross join latest;
