-- severity: warn
-- stream: statistics_by_subchannel
-- scope: incremental
-- depends_on: statistics, statistics_by_subchannel
-- meaning: The counts by sub-channel (E18) do not add up to the daily statistics of the channel (E17), which the
--   service gives separately. Trust the daily statistics, and ask the service if later pulls of the day still differ.
-- Conversions are not compared, because E18 has localized labels where E17 has types, and the specification does not map them.

with covered as (from both_covered('statistics', 'statistics_by_subchannel')),

counters as (
    select date, channel, message_sent, message_failed, delivered, click, true as is_total
    from daily_statistics
    semi join covered using (date)
    union all
    select date, channel, message_sent, message_failed, delivered, click, false
    from daily_statistics_by_subchannel
    semi join covered using (date)
)

select
    date,
    coalesce(channel, 'without a channel') || ' ' || counter as subject,
    'The sub-channels do not add up to the channel.' as finding,
    coalesce(sum(value) filter (is_total), 0) as expected,
    coalesce(sum(value) filter (not is_total), 0) as actual
from counters
unpivot include nulls (value for counter in (message_sent, message_failed, delivered, click))
group by date, channel, counter
having expected <> actual;
