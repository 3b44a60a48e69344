-- severity: stop
-- stream: events
-- scope: incremental
-- meaning: Records of an export are stored more than once, so counts of events are too high. Run `dawnload rebuild`;
--   report it if it persists.
-- Compares records by the day on which they happened. A record in two exports has the same time in both, so it is found too.

with repeated as (
    select date, count(*) - 1 as too_many
    from events
    semi join batch_days using (date)
    where event_id is not null
    group by date, hash(event_id, event_name, occurred_at), event_id, event_name, occurred_at
    having count(*) > 1
)

select
    date,
    'events' as subject,
    'Records are stored more than once.' as finding,
    '0' as expected,
    sum(too_many) as actual
from repeated
group by date;
