delete from daily_statistics where date in (select date from days);
delete from daily_conversions where date in (select date from days);

insert into daily_statistics by name
select staged_statistics.* exclude (row_id, odd, undated, conversion)
from staged_statistics
inner join days on staged_statistics.date = days.date;

insert into daily_conversions by name
select staged_conversions.* exclude (row_id, odd)
from staged_conversions
inner join days on staged_conversions.date = days.date;
