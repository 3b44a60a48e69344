delete from {relation} where date in (select date from stale_days);
