-- Every table that holds rows, with how many. After a load DuckDB's own count is exact.
select
  case when schema_name = 'main' then table_name else schema_name || '.' || table_name end as "table",
  estimated_size::double as rows
from duckdb_tables()
where estimated_size > 0
order by schema_name, table_name;
