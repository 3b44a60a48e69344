-- A full refresh: every day that any row is about.

select distinct (date - date '1970-01-01')::integer as day
from (
    select date from ops.coverage
    union
    select date from ops.touched_days
    union
    select date from ops.load_notes
    union
    select date from daily_statistics
    union
    select date from daily_conversions
    union
    select date from daily_statistics_by_subchannel
    union
    select date from daily_conversions_by_subchannel
    union
    select date from campaign_metrics
    union
    select date from campaign_metric_dimensions
    union
    select date from events
    union
    select export_date from events
    union
    select unnest([date, export_date]) from message_rows
    union
    select valid_from from opt_outs_history
    union
    select (requested_at at time zone 'Asia/Seoul')::date
    from opt_outs_history
    where requested_at >= (select min(date) from ops.coverage where stream = 'events')
) as days
where isfinite(date);
