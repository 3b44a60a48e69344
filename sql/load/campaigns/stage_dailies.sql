create or replace temp table staged_dailies as
select
    row_id,
    is_odd(document, 'daily')
    or (d.date is not null and try_cast(d.date as date) is null)
    or (d.sum is not null and number(d.sum) is null)
    or (d.count is not null and number(d.count) is null) as odd,
    campaign_id,
    first_date,
    last_date,
    metric_type,
    metric_name,
    conversion_type,
    try_cast(d.date as date) as date,
    number(coalesce(d.sum, d.count)) as value,
    (document -> '$.dimensionSums[*]') || (document -> '$.dimensionCounts[*]') as dimensions,
    extra
from (select *, json_transform(document, shape('daily')) as d from documents) as read;
