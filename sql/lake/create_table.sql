create table lake.{table} ({columns}) {clauses};
