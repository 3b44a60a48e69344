-- Findings about the days that are checked again, and those about no day.

delete from ops.checks
where name in ({names}) and (date is null or date in (select date from dirty_days));
