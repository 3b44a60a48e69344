-- severity: warn
-- stream: statistics_by_subchannel
-- The counts by sub-channel add up to the daily statistics of the channel.

with both_covered as (
    select date
    from ops.coverage
    where stream in ('statistics', 'statistics_by_subchannel')
    group by date
    having count(*) = 2
),

totals as (
    select date, channel, sum(message_sent) as message_sent
    from daily_statistics
    semi join both_covered using (date)
    group by date, channel
),

parts as (
    select date, channel, sum(message_sent) as message_sent
    from daily_statistics_by_subchannel
    semi join both_covered using (date)
    group by date, channel
)

select
    coalesce(totals.date, parts.date) as date,
    coalesce(totals.channel, parts.channel) as subject,
    'The sub-channels do not add up to the messages sent through the channel.' as finding,
    coalesce(totals.message_sent, 0) as expected,
    coalesce(parts.message_sent, 0) as actual
from totals
full join parts on totals.date = parts.date and totals.channel is not distinct from parts.channel
where coalesce(totals.message_sent, 0) <> coalesce(parts.message_sent, 0);
