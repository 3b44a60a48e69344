delete from lake.{table};

insert into lake.{table} ({names})
select {names} from staged;
