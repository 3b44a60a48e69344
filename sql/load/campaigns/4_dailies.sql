create or replace temp table staged_dailies as
select
    pull,
    campaign_id,
    first_date,
    last_date,
    metric_type,
    metric_name,
    conversion_type,
    try_cast(d.date as date) as date,
    coalesce(number(d.sum), quantity(d.count)) as value,
    (document -> '$.dimensionSums[*]') || (document -> '$.dimensionCounts[*]') as dimensions,
    extra
from (
    select
        *,
        json_transform(document, shape('daily')) as d
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
        date,
        unnest(dimensions) as document,
        null::json as extra
    from staged_dailies
) as unfolded;
