-- What the daily statistics count on each day they cover, over all channels; a counter that is
-- unsupported, or below zero (only earlier versions took that), counts as zero.
select
  coverage.date::varchar as date,
  count(daily.date)::double as rows,
  coalesce(sum(greatest(daily.message_sent, 0)), 0)::double as sent,
  coalesce(sum(greatest(daily.message_failed, 0)), 0)::double as failed,
  coalesce(sum(greatest(daily.delivered, 0)), 0)::double as delivered,
  coalesce(sum(greatest(daily.click, 0)), 0)::double as click,
  -- On how many days in Korea the service was asked: what two nights agree on is believed.
  (
    select count(distinct loads.pulled_at::date)
    from ops.loads as loads
    where loads.stream = 'statistics' and coverage.date between loads.first_day and loads.last_day
  )::double as nights
from ops.coverage as coverage
left join daily_statistics as daily on daily.date = coverage.date
where coverage.stream = 'statistics'
group by coverage.date
order by coverage.date;
