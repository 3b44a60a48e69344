select count(*) > 0 as known
from information_schema.tables
where table_schema = 'ops' and table_name = 'migrations';
