select pull
from ops.loads
where pull in (select unnest(getvariable('asked_pulls')));
