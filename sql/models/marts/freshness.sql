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

latest as (
    select coalesce(max(last_date) filter (not is_snapshot), max(last_date) - 1) as last_date
    from held
)

select
    held.stream,
    held.first_date,
    held.last_date,
    held.days_covered - held.days_removed as days_held,
    held.days_removed,
    if(held.is_snapshot, 0, held.last_date - held.first_date + 1 - held.days_covered) as days_missing,
    if(
        held.is_snapshot, greatest(0, latest.last_date + 1 - held.last_date), latest.last_date - held.last_date
    ) as days_behind_newest,
    held.last_pulled_at,
    held.rows
from held
cross join latest;
