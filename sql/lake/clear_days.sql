delete from lake.{table} where {day} in ({days});
