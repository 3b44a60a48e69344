-- severity: warn
-- stream: events
-- scope: incremental
-- depends_on: statistics, events
-- meaning: The export of a day and the daily statistics count different sends or clicks on a channel; or, where the channels
--   agree, for a campaign or user journey. Small differences may come from clicks that the service counts late. If a few records are missing in many
--   campaigns, people were probably deleted at the service (E15) before the export was made. If a channel or campaign has far
--   fewer sends, part of what was paid for may be missing: ask the service.
-- If the daily statistics count no clicks on a channel, its clicks are not compared, because the export may have some.

with statistics as (
    select
        date,
        coalesce(channel, 'without a channel') as channel,
        coalesce(campaign_id, user_journey_id, 'no campaign or journey') as sender,
        -- If more messages failed than were sent, counters_in_range reports that.
        greatest(message_sent - coalesce(message_failed, 0), 0) as sends,
        click as clicks
    from daily_statistics
    semi join both_covered('statistics', 'events') using (date)
),

clicking as (
    select distinct date, channel from statistics where clicks is not null
),

records as (
    select
        date,
        coalesce(channel, 'without a channel') as channel,
        coalesce(campaign_id, user_journey_id, 'no campaign or journey') as sender,
        event_name = 'send_success' as is_send,
        -- The service may add event names. Closing a message is the only click that does not count.
        event_name like '%\_click' escape '\' and event_name <> 'close_button_click' as is_click
    from events
    semi join both_covered('statistics', 'events') using (date)
),

counted as (
    unpivot (
        select
            date,
            grouping(channel) as level,
            coalesce(channel, sender) as subject,
            coalesce(sum(sends), 0)::bigint as sends,
            coalesce(sum(clicks), 0)::bigint as clicks
        from statistics
        group by grouping sets ((date, channel), (date, sender))
    )
    on sends, clicks into name counter value total
),

exported as (
    unpivot (
        select
            date,
            grouping(channel) as level,
            coalesce(channel, sender) as subject,
            count(*) filter (is_send) as sends,
            count(*) filter (is_click and clicking.date is not null) as clicks
        from records
        left join clicking using (date, channel)
        group by grouping sets ((date, channel), (date, sender))
    )
    on sends, clicks into name counter value total
),

-- Records of erased persons are missing on purpose.
erased as (
    select date, sum(records) as records from ops.load_notes
    where stream = 'events' and note = 'erased'
    group by date
)

select
    date,
    subject,
    'The number of exported ' || counter || ' differs from the daily statistics'
    || if(
        counted.total > coalesce(exported.total, 0) and exports.key is not null,
        '; `dawnload exports resume ' || exports.key || '` reads the export again at no cost.',
        '.'
    ) as finding,
    coalesce(counted.total, 0) as expected,
    coalesce(exported.total, 0) as actual
from counted
full join exported using (date, level, subject, counter)
left join ops.exports on exports.state = 'loaded' and date = exports.date
left join erased using (date)
left join (
    select distinct date from ops.load_notes where stream = 'events' and note in ('tolerated', 'accepted')
) as settled on date = settled.date
where
    coalesce(counted.total, 0) - coalesce(exported.total, 0) not between 0 and coalesce(erased.records, 0)
    -- Missing records that you tolerate or accepted are not findings.
    and not (settled.date is not null and counted.total > coalesce(exported.total, 0))
-- Campaigns are reported only if the channels agree; `level` is 0 for a channel.
qualify level = min(level) over (partition by date, counter);
