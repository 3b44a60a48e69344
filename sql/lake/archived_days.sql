select date::varchar as date from ops.archived_days order by archived_days.date;
