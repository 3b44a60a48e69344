-- The lake holds these days of a relation as `source` counts them; a day that is gone has no version.

insert into cleared_parts
select '{relation}', unnest([{days}]);

insert into pushed_parts
select '{relation}', date, digest
from ops.model_days
where relation = '{source}' and date in ({days});
