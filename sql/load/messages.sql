select
    coalesce(sum(daily_statistics.message_sent), 0)::bigint as sent,
    coalesce(sum(daily_statistics.message_failed), 0)::bigint as failed,
    coalesce(sum(daily_statistics.delivered), 0)::bigint as delivered,
    coalesce(sum(daily_statistics.click), 0)::bigint as click
from ops.coverage
left join daily_statistics on coverage.date = daily_statistics.date
where coverage.stream = 'statistics' and coverage.date = getvariable('first_day')
group by coverage.date;
