create or replace temp table staged_dimensions as
select
    pull,
    campaign_id,
    first_date,
    last_date,
    metric_type,
    metric_name,
    conversion_type,
    date,
    d."dimensionKey" as dimension_key,
    d."dimensionValue" as dimension_value,
    coalesce(number(d.sum), quantity(d.count)) as value,
    extra
from (
    select
        *,
        json_transform(document, shape('dimension')) as d
    from documents
) as read;
