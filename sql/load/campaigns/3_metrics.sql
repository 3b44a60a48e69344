create or replace temp table staged_metrics as
select
    pull,
    campaign_id,
    first_date,
    last_date,
    m."metricType" as metric_type,
    m."metricName" as metric_name,
    m."conversionType" as conversion_type,
    coalesce(number(m."totalSum"), quantity(m."totalCount")) as total,
    (document -> '$.dailySums[*]') || (document -> '$.dailyCounts[*]') as dailies,
    extra
from (
    select
        *,
        json_transform(document, shape('metric')) as m
    from documents
) as read;

-- Documents are numbered only when the lists are unfolded, since each needs a number of its own.

create or replace temp table documents as
select row_number() over () as row_id, *
from (
    select
        pull,
        campaign_id,
        first_date,
        last_date,
        metric_type,
        metric_name,
        conversion_type,
        unnest(dailies) as document,
        null::json as extra
    from staged_metrics
) as unfolded;
