delete from {table} where export_date = getvariable('first_day');
