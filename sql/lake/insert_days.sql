insert into lake.{table} ({names})
select {values} from {relation} where {day} in ({days}) and {share} {order};
