alter table lake.{table} add column {column};
