-- Statements that run checks and store their findings.

-- name: clear_checks
delete from ops.checks where name in ({names});

-- name: clear_days
-- Deletes findings about the days that will be checked again, and findings without a day.
delete from ops.checks
where name in ({names}) and (date is null or date in (select date from dirty_days));

-- name: delete_gone
-- Deletes everything about checks that no longer exist.
delete from ops.checks where name not in ({names});
delete from ops.check_versions where name not in ({names});

-- name: found
-- params: checked_at timestamptz
-- Stores the findings of a check. The inner statement is a file of sql/checks without its semicolon. An incremental check may read
-- days outside the batch for comparison, but only findings about days of the batch are stored.
insert into ops.checks by name
select
    $checked_at as checked_at,
    '{name}' as name,
    '{severity}' as severity,
    nullif('{stream}', '') as stream,
    found.date::date as date,
    found.subject::varchar as subject,
    found.finding,
    found.expected::varchar as expected,
    found.actual::varchar as actual,
    '{meaning}' as meaning
from (
{check}
) as found
where {whole} or found.date::date in (select date from batch_days);

-- name: note_versions
-- params: names text[], fingerprints text[]
-- Records the versions of checks whose findings cover all days.
delete from ops.check_versions where name in (select unnest($names));

insert into ops.check_versions by name
select unnest($names) as name, unnest($fingerprints) as fingerprint;

-- name: versions
select name, fingerprint from ops.check_versions;
