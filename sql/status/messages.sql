-- What the daily statistics count on each day they cover, over all channels; an unsupported counter counts as zero.
select
  coverage.date::varchar as date,
  coalesce(sum(daily.message_sent), 0)::double as sent,
  coalesce(sum(daily.message_failed), 0)::double as failed,
  coalesce(sum(daily.delivered), 0)::double as delivered,
  coalesce(sum(daily.click), 0)::double as click
from ops.coverage as coverage
left join daily_statistics as daily on daily.date = coverage.date
where coverage.stream = 'statistics'
group by coverage.date
order by coverage.date;
