-- severity: warn
-- stream: statistics
-- scope: incremental
-- lookback: 56 days
-- meaning: A channel sent far more or far fewer messages than usual. If nobody planned that, look for a campaign that
--   ran twice, one that stopped, or a day that the service gave only in part.
-- The usual volume is the median of the same weekday in the previous eight weeks, if at least four of these days are loaded;
-- otherwise of the previous 28 days, if at least 14 are loaded. A day is unusual if it is below half or
-- above four times the median, and more than five usual deviations away. The usual deviation is 1.4826 × the median of the absolute
-- differences from the median. Small
-- channels are not judged: the median must be at least 100, and the difference at least 500.

with near_days as (from days_before(56)),

held_days as (
    select near_days.*
    from near_days
    semi join ops.coverage on coverage.stream = 'statistics' and near_days.near_date = coverage.date
),

volumes as (
    select date, channel, sum(message_sent) as sent
    from daily_statistics
    where channel is not null and date in (select near_date from near_days)
    group by date, channel
),

-- On a loaded day without rows, the channel sent no messages.
days_by_channel as (
    select held_days.date, channels.channel, held_days.step, coalesce(volumes.sent, 0) as sent
    from held_days
    cross join (select distinct channel from volumes) as channels
    left join volumes on held_days.near_date = volumes.date and channels.channel = volumes.channel
),

bases as (
    select
        date,
        channel,
        max(sent) filter (step = 0) as sent,
        list(sent) filter (step > 0 and step % 7 = 0) as weekdays,
        list(sent) filter (step between 1 and 28) as days
    from days_by_channel
    group by date, channel
),

chosen as (
    select
        date,
        channel,
        sent,
        len(weekdays) >= 4 as by_weekday,
        if(len(weekdays) >= 4, weekdays, days) as basis
    from bases
    where sent is not null and (len(weekdays) >= 4 or len(days) >= 14)
),

usual as (
    select *, list_aggregate(basis, 'median') as middle, 1.4826 * list_aggregate(basis, 'mad') as deviation
    from chosen
)

select
    date,
    channel as subject,
    if(sent < middle, 'Far fewer', 'Far more')
    || ' messages than usual: '
    || format('{:.0f}', middle)
    || ' is the median of '
    || if(by_weekday, 'the same weekday of ' || len(basis) || ' weeks', len(basis) || ' days')
    || ', give or take '
    || format('{:.0f}', deviation)
    || '.' as finding,
    format('{:.0f}', middle) as expected,
    sent as actual
from usual
where
    middle >= 100
    and abs(sent - middle) > greatest(500, 5 * deviation, if(sent < middle, 0.5, 3) * middle);
