select name, severity, stream, date::varchar as date, subject, finding, expected, actual, meaning
from ops.checks
order by severity, name, checks.date, subject, finding, expected, actual;
