-- Statements of commands that read the published file.

-- name: removed
-- Days whose events were removed from the file.
select date::varchar as date from ops.removed_days order by date;

-- name: coverage
-- The complete days of each stream in the warehouse.
select stream, date::varchar as date, rows::double as rows
from ops.coverage
order by stream, date;

-- name: exports
-- Paid exports as the ledger recorded them when the file was written.
select
  key,
  date::varchar as day,
  state,
  billed,
  export_id as "exportId",
  message_data as "messageData",
  records::double as records,
  pages::double as pages,
  estimated_records::double as estimate,
  price_per_record as "pricePerRecord",
  epoch_ms(requested_at)::double as "requestedAt",
  epoch_ms(updated_at)::double as "updatedAt",
  note
from ops.exports
order by key;

-- name: exclusions
-- Staff and test people who are not counted.
select listed::double as listed, people::double as people, events::double as events from ops.exclusions;

-- name: findings
-- The findings of the last checks by check, with their meaning.
select
  name,
  severity,
  count(*)::double as findings,
  min(date)::varchar as first_date,
  max(date)::varchar as last_date,
  arg_min(
    concat_ws(': ', subject, finding),
    {date: coalesce(date, date '1900-01-01'), subject: coalesce(subject, ''), finding: finding}
  ) as example,
  any_value(meaning) as meaning
from ops.checks
group by name, severity
order by severity, name;

-- name: held_back
-- Days whose last answer was held back, or for which the service had not collected everything. The next run requests them again,
-- however old they are.
select stream, date::varchar as date
from ops.held_back
union
select 'campaigns', date::varchar
from ops.unfinished_campaigns;

-- name: messages
-- The daily statistics of each covered day, over all channels. A counter that a channel does not support counts as zero.
select
  coverage.date::varchar as date,
  count(daily.date)::double as rows,
  coalesce(sum(daily.message_sent), 0)::double as sent,
  coalesce(sum(daily.message_failed), 0)::double as failed,
  coalesce(sum(daily.delivered), 0)::double as delivered,
  coalesce(sum(daily.click), 0)::double as click,
  -- Number of nights on which the service was asked, at most two, because two equal answers are accepted. A run around midnight has
  -- two dates but is one night.
  (
    select if(max(loads.pulled_at) - min(loads.pulled_at) < interval 6 hours, 1, least(2, count(distinct loads.pulled_at::date)))
    from ops.loads as loads
    where loads.stream = 'statistics' and coverage.date between loads.first_date and loads.last_date
  )::double as nights
from ops.coverage as coverage
left join daily_statistics as daily on daily.date = coverage.date
where coverage.stream = 'statistics'
group by coverage.date
order by coverage.date;

-- name: runs
-- The latest runs, latest first, by the order in which they were recorded and not by clock.
select
  run_id,
  command,
  epoch_ms(started_at)::double as started_at_ms,
  epoch_ms(finished_at)::double as finished_at_ms,
  exit_code::double as exit_code,
  outcome
from ops.runs
order by rowid desc
limit 5;

-- name: empty_once
-- Days of the free streams without rows that were requested on only one night, with the Korean day of the last answer. Two
-- nights must agree, so a later night requests them again, however old they are.
select coverage.stream, coverage.date::varchar as date, max(loads.pulled_at)::date::varchar as asked
from ops.coverage as coverage
join ops.loads as loads
  on loads.stream = coverage.stream and coverage.date between loads.first_date and loads.last_date
where coverage.stream in ('statistics', 'statistics_by_subchannel', 'campaigns') and coverage.rows = 0
group by coverage.stream, coverage.date
having count(distinct loads.pulled_at::date) < 2 or max(loads.pulled_at) - min(loads.pulled_at) < interval 6 hours
order by coverage.stream, coverage.date;
