-- severity: warn
-- scope: incremental
-- meaning: The service gave something unusual, which was handled as the finding says. The landing zone has the answer
--   verbatim.
-- Not findings: records of erased persons, a full last page, and missing records that you tolerate or accepted. Missing values and
-- records outside their window have their own checks: required_values and events_in_window.

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
        when 'shared_id' then 'Several records have one id; they are kept, the message once.'
        when 'outside_range' then 'Records are outside the requested days; they were left out.'
        when 'other_day' then 'Records name another day than the requested one; the requested day counts.'
        when 'odd_time'
        then 'Records have a time more than a day after the window of their export, or 31 days before it; they keep it, and count on its day.'
        when 'undated' then 'Records have no readable date.'
        when 'mended' then 'Answers had wrong bytes, half characters, or text that is not JSON; those were replaced in the warehouse.'
        when 'unreadable_page'
        then 'A page of the export cannot be read and is left out; `dawnload exports resume` downloads it again at no cost.'
        when 'other_counts'
        then 'The service gave the same statistic more than once with different counts; the largest one counts, and given_rows has all rows.'
        when 'summed'
        then 'The service gave the same statistic more than once, and its other statistics equal the sum of the rows, as for an edited text; the sum counts.'
        when 'undecided'
        then 'The service gave the same statistic more than once, and no other statistic shows whether to add the rows; the largest one counts, and given_rows has all rows.'
        when 'no_names'
        then 'Most campaigns and user journeys came without their names; the last known names stay.'
        when 'same_grain' then 'The service gave the same statistic more than once; both are kept.'
        when 'elsewhere' then 'Another paid export has the same records; they count once, in that one.'
        when 'message_elsewhere' then 'Another export has messages of the same records; they count once, in that one.'
        when 'count_differs' then 'The service announced a different number of rows than it sent, twice; the rows that it sent are loaded.'
        when 'no_view'
        then 'The catalog has no view, because its name or a field name does not fit SQL; its items are in catalog_items.'
        else note
    end as finding,
    '0' as expected,
    coalesce(sum(records), count(*)) as actual
from ops.load_notes
semi join batch_days using (date)
where note not in ('stray', 'no_id', 'no_event_name', 'no_time', 'erased', 'full_page', 'tolerated', 'accepted')
group by stream, date, subject, note;
