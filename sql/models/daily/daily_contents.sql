-- grain: one KST day, channel, kind of content and content.
-- materialized: incremental
-- depends_on: events
-- lookback: 7 days
-- dirties: all later days
--
-- The content of a message is its template, or else its title, or else the name of its product. Records with one id share a
-- message, which is stored with the first record; a click may come days later.

with contents as (
    select *
    from (
        select event_id, date, 'template_code' as content_kind, template_code as content from alimtalk_messages
        union all
        select event_id, date, 'template_name', template_name from brand_messages
        union all
        select event_id, date, 'title', title from push_messages
        union all
        select event_id, date, 'title', title from emails
        union all
        select event_id, date, 'title', title from text_messages
        union all
        select event_id, date, if(title is null, 'product', 'title'), coalesce(title, commerce_title) from in_app_messages
        union all
        select event_id, date, if(title is null, 'product', 'title'), coalesce(title, commerce_title) from in_web_messages
        union all
        select event_id, date, 'title', ti from web_push_messages
    ) as messages
    where
        date between getvariable('first_lookback_day') and getvariable('last_batch_day')
        and date in (select date from lookback_days)
),

occurred as (
    select event_id, date, channel, marts.event_kind(event_name) as kind
    from marts.counted_events
    where date in (select date from batch_days)
    union all
    select event_id, date, channel, 'machine click'
    from marts.message_responses
    where date in (select date from batch_days) and is_machine
)

select
    occurred.date,
    occurred.channel,
    contents.content_kind,
    contents.content,
    count(*) filter (occurred.kind in ('succeeded', 'failed')) as sent,
    count(*) filter (occurred.kind = 'failed') as failed,
    count(*) filter (occurred.kind = 'succeeded') as succeeded,
    count(*) filter (occurred.kind = 'delivered') as delivered,
    -- Clicks by people. Clicks by machines are counted separately.
    count(*) filter (occurred.kind = 'clicked') - count(*) filter (occurred.kind = 'machine click') as clicked,
    count(*) filter (occurred.kind = 'machine click') as machine_clicks
from occurred
inner join contents
    on occurred.event_id = contents.event_id and occurred.date between contents.date and contents.date + 7
where contents.content is not null
group by all;
