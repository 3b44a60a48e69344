-- Days of the free streams without a row that the service was asked for on one night alone, with the day in Korea of the last
-- answer: a later night asks for them again, however old they are, since two nights must agree.
select coverage.stream, coverage.date::varchar as date, max(loads.pulled_at)::date::varchar as asked
from ops.coverage as coverage
join ops.loads as loads
  on loads.stream = coverage.stream and coverage.date between loads.first_day and loads.last_day
where coverage.stream in ('statistics', 'statistics_by_subchannel', 'campaigns') and coverage.rows = 0
group by coverage.stream, coverage.date
having count(distinct loads.pulled_at::date) < 2 or max(loads.pulled_at) - min(loads.pulled_at) < interval 6 hours
order by coverage.stream, coverage.date;
