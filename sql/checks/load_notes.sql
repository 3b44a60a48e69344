-- severity: warn
-- What loads found odd and dealt with.

select
    date,
    stream || coalesce(': ' || subject, '') as subject,
    case note
        when 'repeated' then 'The service gave records more than once; each counts once.'
        when 'shared_id' then 'Several records have one id; they are kept, the message once.'
        when 'stray' then 'Records lie outside the window of their export; they are kept.'
        when 'no_id' then 'Records have no id.'
        when 'no_event_name' then 'Records have no event name.'
        when 'no_time' then 'Records have no readable time; the day of the export is taken.'
        when 'outside_range' then 'Records lie outside the days that were asked for; they were left out.'
        when 'other_day' then 'Records name another day than was asked for; the day that was asked for is taken.'
        when 'undated' then 'Records have no readable date.'
        when 'mended' then 'Pages held half characters or wrong bytes; those became U+FFFD in the warehouse.'
        when 'same_grain' then 'The service gave the same statistic more than once; both are kept.'
        else note
    end as finding,
    '0' as expected,
    sum(records) as actual
from ops.load_notes
group by stream, date, subject, note;
