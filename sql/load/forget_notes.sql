delete from ops.load_notes where stream = getvariable('stream') and date in (select date from days);
delete from ops.drift_by_day where stream = getvariable('stream') and date in (select date from days);
