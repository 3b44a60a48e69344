-- What a check found; an inner statement is a file of sql/checks, without its semicolon.

insert into ops.checks by name
select
    getvariable('checked_at') as checked_at,
    '{name}' as name,
    '{severity}' as severity,
    nullif('{stream}', '') as stream,
    found.date::date as date,
    found.subject::varchar as subject,
    found.finding,
    found.expected::varchar as expected,
    found.actual::varchar as actual
from (
{check}
) as found;
