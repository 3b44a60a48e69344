select count(*) as rows from {relation} where {day} in ({days});
