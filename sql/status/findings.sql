-- How many findings the last checks left, by name.
select name, severity, count(*)::double as findings
from ops.checks
group by name, severity
order by severity, name;
