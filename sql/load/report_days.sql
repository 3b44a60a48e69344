select date::varchar as date from days order by date;
