select count(*) as records from staged;
