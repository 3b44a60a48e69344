select '"' || schema_name || '"."' || table_name || '"' as name
from duckdb_tables()
where not internal and database_name = current_database()
order by name;
