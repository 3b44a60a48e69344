-- title: Open findings
-- question: What did the last round of checks find?
-- params:
--   severity (varchar, default null, one of stop warn): only findings of this severity
-- In other DuckDB clients, set parameters before: set variable severity = 'stop';
-- example:
--   severity  name                 stream  date        subject                                       …
--   warn      events_agree_clicks  events  2026-11-18  push-notification                             …
--   warn      events_agree_sends   events  2026-11-18  push-notification                             …
--   warn      schema_drift                 2026-11-20  events message_data:push-notification.locale  …

with params as (
    select getvariable('severity')::varchar as only_severity
)
select
    checks.severity,
    checks.name,
    checks.stream,
    checks.date,
    checks.subject,
    checks.finding,
    checks.expected,
    checks.actual,
    checks.meaning,
    checks.checked_at at time zone 'Asia/Seoul' as checked_at_kst
from ops.checks
cross join params
where params.only_severity is null or checks.severity = params.only_severity
-- What must not be trusted comes before what should be looked at.
order by
    checks.severity = 'stop' desc, checks.name, checks.date desc, checks.stream, checks.subject;
