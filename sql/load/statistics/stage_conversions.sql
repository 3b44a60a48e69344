create or replace temp table staged_conversions as
select
    row_id,
    is_odd(document, 'conversion') or (c.count is not null and whole(c.count) is null) as odd,
    statistic_id,
    date,
    c.name,
    c.type,
    whole(c.count) as count,
    position,
    extra
from (select *, json_transform(document, shape('conversion')) as c from documents) as read;
