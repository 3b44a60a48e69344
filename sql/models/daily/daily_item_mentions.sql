-- grain: one KST day, catalog, item, channel, and campaign or user journey whose messages mention the item.
-- materialized: incremental
-- depends_on: events, catalogs
-- lookback: 7 days
--
-- A message mentions an item of the catalogs that the setting reference.item_mentions names, where a whole word of its links
-- or texts (letters and digits of ASCII, hyphens, underscores) is the id of the item, of four characters at least. The items
-- are those that the catalog had on the day of the message, by the rule of marts.template_days: of the latest snapshot then,
-- else of the first one. A content that goes to many is taken apart once.

with days as (
    select date
    from lookback_days
    -- Without a setting no text is read.
    where exists (select 1 from ops.item_mentions)
),

occurred as (
    select
        event_id,
        date,
        channel,
        resource_type,
        campaign_id,
        user_journey_id,
        marts.event_kind(event_name) as kind
    from events
    where date in (select date from batch_days) and exists (select 1 from ops.item_mentions)
),

own_texts as (
    select event_id, date, concat_ws(' ', title, body) as text
    from text_messages
    union all
    select event_id, date, concat_ws(' ', content, template_extra)
    from alimtalk_messages
    union all
    select event_id, date, content
    from friendtalk_messages
    union all
    select event_id, date, concat_ws(' ', title, content, image_url, header, commerce_title, attachment)
    from in_app_messages
    union all
    select event_id, date, concat_ws(' ', title, content, image_url, header, commerce_title, attachment)
    from in_web_messages
    union all
    select event_id, date, concat_ws(' ', ti, bd, u, im, data, ac)
    from web_push_messages
    union all
    select event_id, date, link
    from sent_push_messages
    union all
    select event_id, date, title
    from sent_emails
    union all
    select event_id, date, concat_ws(' ', name, link_mo, link_pc, scheme_ios, scheme_android)
    from message_buttons
),

shared_contents as (
    select event_id, date, content_id
    from sent_push_messages
    union all
    select event_id, date, content_id
    from sent_emails
),

-- A shared content goes by its id, any other by its text.
carried as (
    select event_id, date, text as content, false as is_shared
    from own_texts
    where
        date in (select date from days) and event_id in (select event_id from occurred) and length(text) >= 4

    union all

    select event_id, date, content_id, true
    from shared_contents
    where
        date in (select date from days) and event_id in (select event_id from occurred) and content_id is not null
),

contents as (
    select distinct content, is_shared, content as text
    from carried
    where not is_shared

    union all

    select content_id, true, concat_ws(' ', title, body, html)
    from message_contents
    where content_id in (select content from carried where is_shared)
),

words as (
    select distinct content, is_shared, unnest(regexp_extract_all(text, '[A-Za-z0-9_-]{4,}')) as word
    from contents
),

items as (
    select
        words.content,
        words.is_shared,
        history.catalog_name,
        history.item_id,
        history.valid_from,
        coalesce(history.valid_to, 'infinity') as valid_to
    from words
    inner join catalog_items_history as history on words.word = history.item_id
    where history.catalog_name in (select catalog_name from ops.item_mentions)
),

snapshots as (
    select list as catalog_name, date
    from ops.snapshots
    where stream = 'catalogs'
    union
    select catalog_name, items_since
    from ops.item_mentions
    where items_since is not null
),

snapshot_days as (
    select
        days.date,
        snapshots.catalog_name,
        coalesce(max(snapshots.date) filter (snapshots.date <= days.date), min(snapshots.date)) as snapshot_date
    from days
    cross join snapshots
    where snapshots.catalog_name in (select catalog_name from ops.item_mentions)
    group by all
),

mentions as (
    select distinct carried.event_id, carried.date, items.catalog_name, items.item_id
    from carried
    inner join items on carried.content = items.content and carried.is_shared = items.is_shared
    inner join snapshot_days
        on
            carried.date = snapshot_days.date
            and items.catalog_name = snapshot_days.catalog_name
            and snapshot_days.snapshot_date between items.valid_from and items.valid_to
)

select
    occurred.date,
    mentions.catalog_name,
    mentions.item_id,
    occurred.channel,
    occurred.resource_type,
    occurred.campaign_id,
    occurred.user_journey_id,
    count(*) filter (occurred.kind in ('succeeded', 'failed')) as sent,
    count(*) filter (occurred.kind = 'succeeded') as succeeded,
    count(*) filter (occurred.kind = 'clicked') as clicked
from occurred
inner join mentions
    on occurred.event_id = mentions.event_id and occurred.date between mentions.date and mentions.date + 7
group by all;
