create or replace temp table documents as
select
    row_number() over () as row_id,
    campaign_id,
    first_date,
    last_date,
    metric_type,
    metric_name,
    conversion_type,
    unnest(dailies) as document,
    null::json as extra
from staged_metrics;
