-- A batch to its tables, within the load's transaction.

insert into {table} by name
from read_parquet(getvariable('batch') || '/{table}.parquet');
