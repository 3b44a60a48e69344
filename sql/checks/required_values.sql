-- severity: warn
-- scope: incremental
-- meaning: The service left out a value that every row should have, so groups and sums by it miss the row. The landed
--   answer has the original; `dawnload query drift` shows since when.

-- The missing values of each day and column.
with given as (
    select
        'daily_statistics' as place,
        date,
        count(*) - count(columns('^(resource_type|channel|message_sent|message_failed)$')) as "\1"
    from daily_statistics
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'daily_conversions' as place,
        date,
        count(*) - count(columns('^(name|type|count)$')) as "\1"
    from daily_conversions
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'daily_statistics_by_subchannel' as place,
        date,
        count(*) - count(columns('^(resource_id|channel|message_sent|message_failed)$')) as "\1"
    from daily_statistics_by_subchannel
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'daily_conversions_by_subchannel' as place,
        date,
        count(*) - count(columns('^(name|type_label|count)$')) as "\1"
    from daily_conversions_by_subchannel
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'campaign_metrics' as place,
        date,
        count(*) - count(columns('^(campaign_id|metric_type|metric_name|value)$')) as "\1"
    from campaign_metrics
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'events' as place,
        date,
        count(*) - count(columns('^(event_id|channel|event_name|occurred_at)$')) as "\1"
    from events
    semi join batch_days using (date)
    group by date

    -- Which of the two columns must have a value depends on the row.
    union all by name
    select
        'daily_statistics' as place,
        date,
        count(*) filter (coalesce(campaign_id, user_journey_id) is null) as "campaign_id or user_journey_id"
    from daily_statistics
    semi join batch_days using (date)
    group by date
)

select
    date,
    place || '.' || missing as subject,
    'Values are missing.' as finding,
    '0' as expected,
    rows as actual
from (unpivot given on columns(* exclude (place, date)) into name missing value rows) as missing_values
where rows > 0;
