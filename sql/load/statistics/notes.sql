-- What was odd about the answer. A record that belongs to no day of the range is left out: it stands in the landed
-- file, and the pull that asks for its day brings it.

insert into ops.load_notes by name
select
    'statistics' as stream,
    date,
    getvariable('pull') as pull,
    note,
    subject,
    records
from (
    select
        (select min(date) from days) as date,
        'outside_range' as note,
        staged_statistics.date::varchar as subject,
        count(*) as records
    from staged_statistics
    where staged_statistics.date not between getvariable('first_day') and getvariable('last_day')
    group by all

    union all
    select coalesce(staged_statistics.date, (select min(date) from days)), 'undated', null, count(*)
    from staged_statistics
    where undated
    group by staged_statistics.date

    union all
    select staged_statistics.date, 'same_grain', staged_statistics.statistic_id, 1
    from staged_statistics
    where staged_statistics.ordinal > 1
) as notes
where date in (select date from days);
