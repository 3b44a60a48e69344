-- Strays of the export happened on other days; so did those that it replaces.

insert into ops.touched_days
select 'events', date from events where export_date = getvariable('first_day')
except
select stream, date from ops.touched_days;
