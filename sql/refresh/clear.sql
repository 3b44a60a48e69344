delete from {relation}
where {column} in (select date_trunc('{partition}', date)::date from dirty_days);
