-- What the daily statistics count on each day they cover, over all channels; an unsupported counter counts as zero.
select
  coverage.date::varchar as date,
  count(daily.date)::double as rows,
  coalesce(sum(daily.message_sent), 0)::double as sent,
  coalesce(sum(daily.message_failed), 0)::double as failed,
  coalesce(sum(daily.delivered), 0)::double as delivered,
  coalesce(sum(daily.click), 0)::double as click,
  -- On how many nights the service was asked, up to two: what two agree on is believed. A run around midnight is one.
  (
    select if(max(loads.pulled_at) - min(loads.pulled_at) < interval 6 hours, 1, least(2, count(distinct loads.pulled_at::date)))
    from ops.loads as loads
    where loads.stream = 'statistics' and coverage.date between loads.first_day and loads.last_day
  )::double as nights
from ops.coverage as coverage
left join daily_statistics as daily on daily.date = coverage.date
where coverage.stream = 'statistics'
group by coverage.date
order by coverage.date;
