-- What a check found; an inner statement is a file of sql/checks, without its semicolon. An incremental check may look beyond
-- the days of the batch, to compare; its findings are about those.

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
    found.actual::varchar as actual,
    getvariable('meanings')[{number}] as meaning
from (
{check}
) as found
where {whole} or found.date::date in (select date from batch_days);
