-- Every day that any row is about, for checks that have not seen them.

create or replace temp table all_days as
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
select unnest([date, export_date]) from message_rows;
