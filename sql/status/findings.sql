-- What the last checks left, by check, with what it means. A file of before that column has none: so it is read as JSON.
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
  to_json(any_value(checks)) ->> '$.meaning' as meaning
from ops.checks
group by name, severity
order by severity, name;
