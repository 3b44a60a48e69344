create or replace temp table staged_conversions as
select
    pull,
    statistic_id,
    date,
    c.name,
    c.type,
    counter(c.count) as count,
    position,
    extra
from (
    select
        *,
        json_transform(document, shape('conversion')) as c
    from documents
) as read;
