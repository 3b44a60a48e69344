delete from {table} where export_date in (select date from leaving_days);
