delete from lake.{table} where {which};

insert into lake.{table} ({names})
select {names} from staged where {chosen};
