-- The day of each record.
select 'events' as stream, export_date as date from events;
