-- The statements that drop the views of catalogs.

select 'drop view catalog."' || replace(view_name, '"', '""') || '"' as statement
from duckdb_views()
where database_name = current_database() and schema_name = 'catalog' and not internal;
