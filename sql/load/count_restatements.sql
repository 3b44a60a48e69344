select count(*) as total
from ops.restatements
where pull = getvariable('pull');
