-- severity: stop
-- stream: events
-- scope: incremental
-- meaning: Messages, buttons or attachments belong to no event, so joins with events lose them. Run `dawnload rebuild`;
--   report it if it persists.

with looked_at as (
    select *
    from message_rows
    where event_id is not null and export_date in (select date from batch_days)
),

-- The event nearly always came with the same export.
unknown as materialized (
    select looked_at.*
    from looked_at
    anti join (
        select event_id from events where export_date in (select date from batch_days)
    ) as neighbours
        on looked_at.event_id = neighbours.event_id
),

known_elsewhere as (
    select event_id from events where event_id in (select event_id from unknown)
)

select
    export_date as date,
    subject,
    'Rows belong to no event.' as finding,
    '0' as expected,
    count(*) as actual
from unknown
anti join known_elsewhere on unknown.event_id = known_elsewhere.event_id
group by export_date, subject;
