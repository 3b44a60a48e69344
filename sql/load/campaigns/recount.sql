-- An incomplete pull covers no day, and may yet change the rows of days that are covered.

update ops.coverage
set rows = (select count(*) from campaign_metrics where campaign_metrics.date = coverage.date)
where stream = 'campaigns' and date in (select date from days);
