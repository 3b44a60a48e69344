select count(*) as tables
from duckdb_tables()
where database_name = 'warehouse' and schema_name = 'ops' and table_name = 'model_days';
