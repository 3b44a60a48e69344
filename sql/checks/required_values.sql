-- severity: warn
-- scope: incremental
-- meaning: The service left out a value that every row should have, so groups and sums by it miss the row. The landed
--   answer shows what came; `dawnload query drift` shows since when.

with given as (
    {missing_values}
    -- Which of the two is expected depends on the row.
    union all by name
    select
        'statistics' as stream,
        'daily_statistics' as place,
        date,
        count(*) filter (coalesce(campaign_id, user_journey_id) is null) as "campaign_id or user_journey_id"
    from daily_statistics
    semi join batch_days using (date)
    group by date
)

select
    date,
    place || '.' || missing as subject,
    'Values are missing.' as finding,
    '0' as expected,
    rows as actual
from (unpivot given on columns(* exclude (stream, place, date)) into name missing value rows) as missing_values
where rows > 0;
