-- The assumptions in docs/assumptions.md, and whether the first days of an account have confirmed them (`doctor --first`).

-- name: account
-- One row per assumption, in the order in which you confirm them. The remedy is null once an assumption is confirmed.
with exports as (
    select
        count(*) filter (state = 'loaded') as loaded,
        max(pages) filter (state = 'loaded') as pages,
        count(*) filter (contains(note, 'exports.page_parameter')) > 0 as is_repeating,
        count(*) filter (state = 'ambiguous') as ambiguous
    from ops.exports
),
ids as (
    select
        count(*) as events,
        count(coalesce(service_user_id, service_device_id)) as with_brand,
        (
            select string_agg(distinct field, ', ') from ops.schema_drift
            where stream = 'events' and regexp_matches(field, '_(user|device)_id$')
        ) as other_fields
    from events
),
channels as (
    select
        count(*) as messages,
        string_agg(distinct channel, ', ')
            filter (regexp_matches(channel, '-(alimtalk|friendtalk|brand-message)$') and not starts_with(channel, 'chatapp-'))
            as other_words
    from daily_statistics
),
pushes as (
    select
        count(*) filter (target = 'user-properties' and state = 'done') as properties,
        count(*) filter (starts_with(target, 'events ') and state = 'done') as events,
        count(*) filter (state = 'ambiguous') as ambiguous
    from ops.pushes
),
facts as (
    select
        1 as step,
        'statistics' as name,
        channels.messages > 0 as is_proven,
        false as is_wrong,
        'daily statistics are loaded' as proven,
        'no daily statistics are loaded' as open,
        'Leave exports.budget out and start `dawnload run`: it pulls what is free.' as remedy
    from channels
    union all
    select
        2,
        'messenger',
        messages > 0 and other_words is null,
        other_words is not null,
        'all channels have known names',
        coalesce('unknown channels: ' || other_words, 'no channel was seen yet'),
        'Set messenger to the word before the hyphen, then `dawnload rebuild`.'
    from channels
    union all
    select
        3,
        'first export',
        loaded > 0,
        false,
        'an export was requested, downloaded and loaded',
        'no export was loaded yet',
        'Choose the day with the fewest messages (`dawnload query channel-summary by=day`), set exports.budget to its records, '
        || 'and request it: `dawnload backfill --start DAY --end DAY --streams events --yes-paid`.'
    from exports
    union all
    select
        4,
        'page parameter',
        coalesce(pages > 1, false) and not is_repeating,
        is_repeating,
        'an export of several pages was read',
        if(is_repeating, 'page 1 of an export repeats page 0', 'no export had a second page yet'),
        if(
            is_repeating,
            'Set exports.page_parameter to the name that the service reads; the next run resumes the same export at no cost.',
            'The first export of more than one page shows it; if page 1 repeats page 0, the error names exports.page_parameter.'
        )
    from exports
    union all
    select
        5,
        'brand',
        events > 0 and with_brand > 0,
        with_brand = 0 and other_fields is not null,
        'events have the ids of the brand',
        coalesce('no event has an id of the brand, but unknown fields: ' || other_fields, 'no event has an id of the brand yet'),
        'Set brand to the word before _user_id in export records, then `dawnload rebuild`.'
    from ids
    union all
    select
        6,
        'refusals',
        loaded > 0 and ambiguous = 0,
        ambiguous > 0,
        'no answer to a paid request is unknown',
        if(ambiguous > 0, 'an answer to a paid request is unknown', 'no paid request was answered yet'),
        'If an answer waits, `dawnload exports show KEY` shows its text: enter it under exports.refusals if it means that nothing was made.'
    from exports
    union all
    select
        7,
        'properties',
        properties > 0,
        false,
        'user properties were pushed',
        'no user property was pushed yet',
        'If you push properties: send one row (`dawnload push user-properties -f one.sql`), look for it in the console, and correct '
        || 'push.properties_field.'
    from pushes
    union all
    select
        8,
        'events',
        events > 0 and ambiguous = 0,
        ambiguous > 0,
        'events were pushed and acknowledged',
        if(ambiguous > 0, 'the outcome of a push is unknown', 'no event was pushed yet'),
        'If you push events: set push.rows_per_run to 1 and send one row (`dawnload push events NAME -f one.sql --key id`); if its '
        || 'answer is unknown, enter its text under push.acknowledgements.'
    from pushes
)
select
    'first: ' || name as name,
    case when is_proven then 'ok' when is_wrong then 'fail' else 'warn' end as verdict,
    if(is_proven, proven, open) as reason,
    if(is_proven, null, remedy) as remedy
from facts
order by step;
