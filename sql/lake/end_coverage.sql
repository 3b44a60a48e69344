delete from lake.{ops}.coverage where (stream, date) in (select (stream, date) from covered_days);

insert into lake.{ops}.coverage ({coverage})
select {coverage} from ops.coverage where (stream, date) in (select (stream, date) from covered_days);
