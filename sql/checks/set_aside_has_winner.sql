-- severity: stop
-- stream: events
-- scope: days
-- means: A record that two exports hold was set aside from one of them and stands in none, so that it is missing from
--   every count; run `dawnload rebuild`, and report it if it stays.

with aside as (
    select date, event_id, event_name, occurred_at
    from ops.set_aside
    semi join checked_days using (date)
    where table_name = 'events' and occurred_at is not null
)

select
    aside.date,
    'events' as subject,
    'Records that were set aside for another export stand in none.' as finding,
    '0' as expected,
    count(*) as actual
from aside
anti join (from events semi join checked_days using (date)) as standing
    on
        aside.event_id = standing.event_id
        and aside.event_name is not distinct from standing.event_name
        and aside.occurred_at = standing.occurred_at
group by aside.date;
