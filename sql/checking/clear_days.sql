delete from ops.checks
where name = '{name}' and (date is null or date in (select date from days_to_check));
