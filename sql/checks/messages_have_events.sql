-- severity: stop
-- stream: events
-- scope: incremental
-- meaning: Messages, buttons or attachments belong to no event, or buttons or attachments to no message, so joins lose
--   them. Run `dawnload rebuild`; report it if it persists.

-- Each row with what it must belong to: an event, and for a button or attachment also a message.
with looked_at as (
    select *, unnest(if(subject in ('message_buttons', 'text_message_attachments'), ['event', subject], ['event'])) as whole
    from message_rows
    where event_id is not null and export_date in (select date from batch_days)
),

wholes as not materialized (
    select 'event' as whole, event_id, export_date
    from events
    union all
    select if(subject = 'text_messages', 'text_message_attachments', 'message_buttons'), event_id, export_date
    from message_rows
    where
        subject in (
            'text_messages', 'friendtalk_messages', 'alimtalk_messages', 'in_app_messages', 'in_web_messages'
        )
),

-- The event nearly always came with the same export, so this is checked first.
unknown as materialized (
    select looked_at.*
    from looked_at
    anti join (
        select whole, event_id from wholes where export_date in (select date from batch_days)
    ) as neighbors
        on looked_at.whole = neighbors.whole and looked_at.event_id = neighbors.event_id
),

known_elsewhere as (
    select whole, event_id from wholes where event_id in (select event_id from unknown)
)

select
    export_date as date,
    subject,
    if(whole = 'event', 'Rows belong to no event.', 'Rows belong to no message.') as finding,
    '0' as expected,
    count(*) as actual
from unknown
anti join known_elsewhere on unknown.whole = known_elsewhere.whole and unknown.event_id = known_elsewhere.event_id
group by export_date, subject, finding;
