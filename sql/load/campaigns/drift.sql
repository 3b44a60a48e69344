create or replace temp table extras as
with found as (
    select 'answer' as place, null::date as date, extra from staged_answers
    union all
    select 'metric', null, extra from staged_metrics
    union all
    select 'daily', date, extra from staged_dailies
    union all
    select 'dimension', date, extra from staged_dimensions
)

select place, if(date in (select date from days), date, (select min(date) from days)) as date, extra
from found
where extra is not null and exists (from days);
