delete from {relation} where week in (select date_trunc('week', date) from stale_days);
