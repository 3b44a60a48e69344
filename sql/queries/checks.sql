-- title: Open findings
-- question: What did the last round of checks find?
-- params:
--   severity (varchar, default null, one of stop warn): only findings of this severity
-- In other DuckDB clients, set parameters before: set variable severity = 'stop';
-- example:
--   severity  name                    date        …
--   warn      campaigns_agree         2026-11-18  …
--   warn      events_agree_campaigns  2026-11-18  …
--   warn      events_agree_campaigns  2026-11-18  …

with params as (
    select getvariable('severity')::varchar as only_severity
)
select
    checks.severity,
    checks.name,
    checks.date,
    checks.finding,
    checks.expected,
    checks.actual,
    checks.subject,
    checks.stream,
    checks.meaning,
    checks.checked_at at time zone 'Asia/Seoul' as checked_at_kst
from ops.checks
cross join params
where params.only_severity is null or checks.severity = params.only_severity
-- What must not be trusted comes before what should be looked at.
order by
    checks.severity = 'stop' desc, checks.name, checks.date desc, checks.stream, checks.subject, checks.finding,
    checks.expected, checks.actual;
