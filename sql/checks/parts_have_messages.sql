-- severity: stop
-- stream: events
-- scope: incremental
-- meaning: Buttons or attachments belong to no message, so joins with messages lose them. Run `dawnload rebuild`;
--   report it if it persists.

with looked_at as (
    select *
    from message_rows
    where
        subject in ('message_buttons', 'text_message_attachments')
        and event_id is not null
        and export_date in (select date from batch_days)
),

messages as not materialized (
    select
        if(subject = 'text_messages', 'text_message_attachments', 'message_buttons') as part,
        event_id,
        export_date
    from message_rows
    where
        subject in (
            'text_messages', 'friendtalk_messages', 'alimtalk_messages', 'in_app_messages', 'in_web_messages'
        )
),

-- The message nearly always came with the same export.
unknown as materialized (
    select looked_at.*
    from looked_at
    anti join (
        select part, event_id from messages where export_date in (select date from batch_days)
    ) as neighbours
        on looked_at.subject = neighbours.part and looked_at.event_id = neighbours.event_id
),

known_elsewhere as (
    select part, event_id from messages where event_id in (select event_id from unknown)
)

select
    export_date as date,
    subject,
    'Rows belong to no message.' as finding,
    '0' as expected,
    count(*) as actual
from unknown
anti join known_elsewhere on unknown.subject = known_elsewhere.part and unknown.event_id = known_elsewhere.event_id
group by export_date, subject;
