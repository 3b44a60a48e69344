insert into cleared_parts
select '{name}', date
from staged_parts
where changed;

insert into pushed_parts
select '{name}', date, version
from staged_parts
where changed and version is not null;
