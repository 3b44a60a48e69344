-- title: Open findings
-- question: What did the last round of checks find?
-- params:
--   severity (varchar, default null, one of stop warn): only findings of this severity
--   top (bigint, default null): how many findings of each check to show, newest first; unless given, all
-- In other DuckDB clients, set parameters before: set variable severity = 'stop';
-- example:
--   severity  name             date        …
--   warn      campaigns_agree  2026-11-18  …
--   warn      events_agree     2026-11-18  …
--   warn      events_agree     2026-11-18  …

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
    checks.checked_at at time zone 'Asia/Seoul' as checked_at_kst,
    count(*) over (partition by checks.name) as findings_of_check
from ops.checks
where marts.matches('severity', checks.severity)
qualify
    getvariable('top') is null
    or row_number() over (
        partition by checks.name
        order by
            checks.date desc, checks.stream, checks.subject, checks.finding, checks.expected, checks.actual
    ) <= getvariable('top')::bigint
-- Findings that stop publishing come before warnings.
order by
    checks.severity = 'stop' desc,
    checks.name,
    checks.date desc,
    checks.stream,
    checks.subject,
    checks.finding,
    checks.expected,
    checks.actual;
