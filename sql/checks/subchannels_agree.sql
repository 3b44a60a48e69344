-- severity: warn
-- stream: statistics_by_subchannel
-- scope: incremental
-- depends_on: statistics, statistics_by_subchannel
-- meaning: The counts by sub-channel (E18) do not add up to the daily statistics of the channel (E17), which the
--   service gives separately. Trust the daily statistics, and ask the service if later pulls of the day still differ.
--
-- Counters are compared directly. Conversions have a type in E17 and a localised label in E18, and the specification does not map
-- labels to types. So labels are matched by their numbers: over the channels of a day, a label is paired with the type that it
-- equals on most channels. The two best disjoint pairs are then compared channel by channel.
--   * Labels for both types: each is compared with its own, so that one cannot make up for the other.
--   * One label: it is compared with the type that it fits, total or direct; the other type is compared with nothing.
--   * More labels with a number than types: they may divide a type by language or channel. Nothing is compared.
--   * No label: the service gives no conversions by sub-channel. Nothing is compared.
-- Correct numbers are never reported: where every label equals a type, pairs without a difference come first. A wrong number on
-- one channel is reported, since its label keeps its type by the other channels; a single channel is compared with the nearest
-- type. Only a label that equals the other type everywhere goes unnoticed.

with covered as (from both_covered('statistics', 'statistics_by_subchannel')),

counters as (
    select date, channel, message_sent, message_failed, delivered, click, true as is_total
    from daily_statistics
    semi join covered using (date)
    union all
    select date, channel, message_sent, message_failed, delivered, click, false
    from daily_statistics_by_subchannel
    semi join covered using (date)
),

counted as (
    select
        date,
        coalesce(channel, 'without a channel') as channel,
        counter,
        coalesce(sum(value) filter (is_total), 0) as expected,
        coalesce(sum(value) filter (not is_total), 0) as actual
    from counters
    unpivot include nulls (value for counter in (message_sent, message_failed, delivered, click))
    group by all
),

conversions as (
    select
        date,
        coalesce(statistics.channel, 'without a channel') as channel,
        coalesce(daily_conversions.type, 'without a type') as type,
        sum(daily_conversions.count) as total
    from daily_conversions
    inner join (from daily_statistics semi join covered using (date)) as statistics using (date, statistic_id)
    group by all
),

conversion_parts as (
    select
        date,
        coalesce(statistics.channel, 'without a channel') as channel,
        coalesce(conversions.type_label, 'without a label') as label,
        sum(conversions.count) as total
    from daily_conversions_by_subchannel as conversions
    inner join (from daily_statistics_by_subchannel semi join covered using (date)) as statistics
        using (date, statistic_id)
    group by all
),

-- The two types of the specification are always included, even without counts.
types as (
    select date, type from conversions
    union
    select date, unnest(['total_count_conversion', 'direct_count_conversion']) from covered
),

labels as (
    select date, label
    from conversion_parts
    group by date, label
    qualify count(*) filter (bool_or(total <> 0)) over (partition by date) <= 2
),

channels as (
    select date, channel from conversions
    union
    select date, channel from conversion_parts
),

cells as (
    select
        date,
        label,
        type,
        channel,
        coalesce(conversions.total, 0) as expected,
        coalesce(conversion_parts.total, 0) as actual
    from labels
    inner join types using (date)
    inner join channels using (date)
    left join conversions using (date, type, channel)
    left join conversion_parts using (date, label, channel)
),

pairs as (
    select
        date,
        label,
        type,
        row_number() over (
            partition by date
            order by count(*) filter (expected <> actual), sum(abs(expected - actual)), type desc, label
        ) as place
    from cells
    group by date, label, type
),

best_pairs as (
    select date, label, type from pairs where place = 1
    union all
    (
        select pairs.date, pairs.label, pairs.type
        from pairs
        inner join pairs as best
            on pairs.date = best.date and best.place = 1 and pairs.label <> best.label and pairs.type <> best.type
        qualify row_number() over (partition by pairs.date order by pairs.place) = 1
    )
),

compared as (
    select date, channel, counter, expected, actual
    from counted
    union all
    select date, channel, 'conversions (' || label || ')', expected, actual
    from cells
    semi join best_pairs using (date, label, type)
)

select
    date,
    channel || ' ' || counter as subject,
    'The sub-channels do not add up to the channel.' as finding,
    expected,
    actual
from compared
where expected <> actual;
