create or replace temporary secret lake_catalog (type iceberg, {options});
