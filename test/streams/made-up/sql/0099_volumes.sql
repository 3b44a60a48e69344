create table volumes (date date, rows bigint);
