-- severity: warn
-- scope: incremental
-- meaning: The service gave something unusual, which was handled as the finding says. The landing zone holds the answer
--   verbatim.
-- Records of erased persons, a full last page, and missing records that are tolerated or accepted are no finding. Missing values and records outside their window have checks of
-- their own: required_values and events_in_window.

select
    date,
    stream || coalesce(': ' || subject, '') as subject,
    case note
        when 'repeated'
        then if(
            stream = 'events',
            'Records came more than once in one export; each counts once.',
            'The service gave records more than once; each counts once.'
        )
        when 'large_page' then 'A page of the export holds more than 1,000 records; all of them are loaded.'
        when 'shared_id' then 'Several records have one id; they are kept, the message once.'
        when 'outside_range' then 'Records lie outside the days that were asked for; they were left out.'
        when 'other_day' then 'Records name another day than was asked for; the day that was asked for is taken.'
        when 'odd_time'
        then 'Records have a time more than a day after the window of their export, or 31 days before it; they keep it, and count on its day.'
        when 'undated' then 'Records have no readable date.'
        when 'mended' then 'Answers held wrong bytes, half characters, or what is no JSON; those were replaced in the warehouse.'
        when 'unreadable_page'
        then 'A page of the export cannot be read and is left out; `dawnload exports resume` downloads it again at no cost.'
        when 'other_counts'
        then 'The service gave the same statistic more than once with other counts; the largest ones count, all are in given_rows.'
        when 'summed'
        then 'The service gave the same statistic more than once, and its other statistics count the sum of the rows, as for a text that was edited; the sum counts.'
        when 'undecided'
        then 'The service gave the same statistic more than once, and nothing decides whether the rows add up; the largest ones count, all are in given_rows.'
        when 'no_names'
        then 'Most campaigns and user journeys came without their names; the last known names stay.'
        when 'same_grain' then 'The service gave the same statistic more than once; both are kept.'
        when 'elsewhere' then 'Another export that was paid for holds the same records; they count once, there.'
        when 'message_elsewhere' then 'Another export holds messages of the same records; they count once, there.'
        when 'count_differs' then 'The service announced another number of rows than it gave, twice; what it gave is loaded.'
        when 'no_view'
        then 'The catalog has no view, since SQL cannot hold its name or that of a field; its items are in catalog_items.'
        else note
    end as finding,
    '0' as expected,
    coalesce(sum(records), count(*)) as actual
from ops.load_notes
semi join batch_days using (date)
where note not in ('stray', 'no_id', 'no_event_name', 'no_time', 'erased', 'full_page', 'tolerated', 'accepted')
group by stream, date, subject, note;
