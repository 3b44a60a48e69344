delete from daily_statistics_by_subchannel where date in (select date from days);
delete from daily_conversions_by_subchannel where date in (select date from days);

insert into daily_statistics_by_subchannel by name
select staged_statistics.* exclude (row_id, odd, of_other_day, conversion)
from staged_statistics
inner join days on staged_statistics.date = days.date;

insert into daily_conversions_by_subchannel by name
select staged_conversions.* exclude (row_id, odd, type), staged_conversions.type as type_label
from staged_conversions
inner join days on staged_conversions.date = days.date;
