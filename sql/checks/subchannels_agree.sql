-- severity: warn
-- stream: statistics_by_subchannel
-- scope: incremental
-- depends_on: statistics, statistics_by_subchannel
-- meaning: The counts by sub-channel (E18) do not add up to the daily statistics of the channel (E17), which the
--   service gives separately. Trust the daily statistics, and ask the service if later pulls of the day still differ.

with both_covered as (
    select date
    from ops.coverage
    semi join batch_days using (date)
    where stream in ('statistics', 'statistics_by_subchannel')
    group by date
    having count(*) = 2
),

totals as (
    unpivot (
        select
            date,
            coalesce(channel, 'without a channel') as channel,
            coalesce(sum(message_sent), 0) as message_sent,
            coalesce(sum(message_failed), 0) as message_failed,
            coalesce(sum(delivered), 0) as delivered,
            coalesce(sum(click), 0) as click
        from daily_statistics
        semi join both_covered using (date)
        group by all
    )
    on message_sent, message_failed, delivered, click into name counter value total
),

parts as (
    unpivot (
        select
            date,
            coalesce(channel, 'without a channel') as channel,
            coalesce(sum(message_sent), 0) as message_sent,
            coalesce(sum(message_failed), 0) as message_failed,
            coalesce(sum(delivered), 0) as delivered,
            coalesce(sum(click), 0) as click
        from daily_statistics_by_subchannel
        semi join both_covered using (date)
        group by all
    )
    on message_sent, message_failed, delivered, click into name counter value total
),

-- E18 names the type of a conversion in its own words; all types together are comparable.
conversions as (
    select date, coalesce(statistics.channel, 'without a channel') as channel, sum(daily_conversions.count) as total
    from daily_conversions
    inner join (from daily_statistics semi join both_covered using (date)) as statistics using (date, statistic_id)
    group by all
),

conversion_parts as (
    select date, coalesce(statistics.channel, 'without a channel') as channel, sum(conversions.count) as total
    from daily_conversions_by_subchannel as conversions
    inner join (from daily_statistics_by_subchannel semi join both_covered using (date)) as statistics
        using (date, statistic_id)
    group by all
),

compared as (
    select
        date,
        channel,
        counter,
        coalesce(totals.total, 0) as expected,
        coalesce(parts.total, 0) as actual
    from totals
    full join parts using (date, channel, counter)

    union all
    select date, channel, 'conversions', coalesce(conversions.total, 0), coalesce(conversion_parts.total, 0)
    from conversions
    full join conversion_parts using (date, channel)
)

select
    date,
    channel || ' ' || counter as subject,
    'The sub-channels do not add up to the channel.' as finding,
    expected,
    actual
from compared
where expected <> actual;
