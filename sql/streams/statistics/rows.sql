-- The day of each row.
select 'statistics' as stream, date from daily_statistics
union all
select 'statistics_by_subchannel', date from daily_statistics_by_subchannel;
