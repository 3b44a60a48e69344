insert into ops.load_notes by name
select
    'statistics_by_subchannel' as stream,
    date,
    getvariable('pull') as pull,
    'other_day' as note,
    null as subject,
    count(*) as records
from staged_statistics
where of_other_day and date in (select date from days)
group by date

union all
select 'statistics_by_subchannel', date, getvariable('pull'), 'same_grain', statistic_id, 1
from staged_statistics
where ordinal > 1 and date in (select date from days);
