create or replace temp table staged_metrics as
select
    row_id,
    is_odd(document, 'metric')
    or (m."totalSum" is not null and number(m."totalSum") is null)
    or (m."totalCount" is not null and number(m."totalCount") is null) as odd,
    campaign_id,
    first_date,
    last_date,
    m."metricType" as metric_type,
    m."metricName" as metric_name,
    m."conversionType" as conversion_type,
    number(coalesce(m."totalSum", m."totalCount")) as total,
    (document -> '$.dailySums[*]') || (document -> '$.dailyCounts[*]') as dailies,
    extra
from (select *, json_transform(document, shape('metric')) as m from documents) as read;
