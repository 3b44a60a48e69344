-- For each table that it does not find, DuckDB would ask the catalog for all tables of all namespaces, to suggest another.

set catalog_error_max_schemas = 0;

set TimeZone = 'Asia/Seoul';
