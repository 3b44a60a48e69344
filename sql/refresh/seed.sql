-- A small table that comes with the package.

delete from {relation};

insert into {relation} by name
from read_csv(getvariable('file'), header = true, comment = '#', auto_detect = true);
