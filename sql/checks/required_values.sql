-- severity: warn
-- scope: incremental
-- meaning: The service left out a value that every row should have, so groups and sums by it miss the row. The landed
--   answer shows what came; `dawnload query drift` shows since when.

with given as (
    select
        'statistics' as stream,
        'daily_statistics' as place,
        date,
        count(*) filter (resource_type is null) as resource_type,
        count(*) filter (channel is null) as channel,
        count(*) filter (coalesce(campaign_id, user_journey_id) is null) as "campaign_id or user_journey_id",
        count(*) filter (message_sent is null) as message_sent,
        count(*) filter (message_failed is null) as message_failed
    from daily_statistics
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'statistics' as stream,
        'daily_conversions' as place,
        date,
        count(*) filter (name is null) as name,
        count(*) filter (type is null) as type,
        count(*) filter (count is null) as count
    from daily_conversions
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'statistics_by_subchannel' as stream,
        'daily_statistics_by_subchannel' as place,
        date,
        count(*) filter (resource_id is null) as resource_id,
        count(*) filter (channel is null) as channel,
        count(*) filter (message_sent is null) as message_sent,
        count(*) filter (message_failed is null) as message_failed
    from daily_statistics_by_subchannel
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'statistics_by_subchannel' as stream,
        'daily_conversions_by_subchannel' as place,
        date,
        count(*) filter (name is null) as name,
        count(*) filter (type_label is null) as type_label,
        count(*) filter (count is null) as count
    from daily_conversions_by_subchannel
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'campaigns' as stream,
        'campaign_metrics' as place,
        date,
        count(*) filter (campaign_id is null) as campaign_id,
        count(*) filter (metric_type is null) as metric_type,
        count(*) filter (metric_name is null) as metric_name,
        count(*) filter (value is null) as value
    from campaign_metrics
    semi join batch_days using (date)
    group by date

    union all by name
    select
        'events' as stream,
        'events' as place,
        date,
        count(*) filter (event_id is null) as event_id,
        count(*) filter (channel is null) as channel,
        count(*) filter (event_name is null) as event_name,
        count(*) filter (occurred_at is null) as occurred_at
    from events
    semi join batch_days using (date)
    group by date
)

select
    date,
    place || '.' || missing as subject,
    'Values are missing.' as finding,
    '0' as expected,
    rows as actual
from (unpivot given on columns(* exclude (stream, place, date)) into name missing value rows) as missing_values
where rows > 0;
