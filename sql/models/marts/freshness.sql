-- grain: one stream.
--
-- Reference data comes in complete snapshots, so no days can be missing, and freshness is the number of nights since the last
-- one. A night's snapshot is dated on the day after the newest day of the statistics.

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

-- The one answer to what is missing (ops.days), also of a stream that holds no day yet.
wanted as (
    select stream, min(date) as first_date, count(*) filter (state in ('missing', 'under_way', 'waits')) as days_missing
    from ops.days
    where state <> 'not_complete'
    group by stream
),

streams as (
    select stream, held.* exclude (stream), wanted.first_date as first_wanted, coalesce(wanted.days_missing, 0) as days_missing
    from held
    full join wanted using (stream)
    where held.last_date is not null or wanted.days_missing > 0
),

latest as (
    select coalesce(max(last_date) filter (not is_snapshot), max(last_date) - 1) as last_date
    from held
)

select
    streams.stream,
    streams.first_date,
    streams.last_date,
    coalesce(streams.days_covered - streams.days_removed, 0) as days_held,
    coalesce(streams.days_removed, 0) as days_removed,
    streams.days_missing,
    if(
        streams.is_snapshot,
        greatest(0, latest.last_date + 1 - streams.last_date),
        latest.last_date - coalesce(streams.last_date, streams.first_wanted - 1)
    ) as days_behind_newest,
    streams.last_pulled_at,
    coalesce(streams.rows, 0) as rows
from streams
cross join latest;
