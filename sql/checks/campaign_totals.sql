-- severity: warn
-- stream: campaigns
-- The daily values of a metric add up to the total that the service gives beside them, in the latest answer.

with latest as (
    select campaign_id, arg_max(pull, (pulled_at, pull)) as pull
    from campaign_collections
    group by campaign_id
),

totals as (
    select campaign_id, metric_type, metric_name, conversion_type, sum(total) as total
    from campaign_metric_totals
    semi join latest using (campaign_id, pull)
    group by all
),

sums as (
    select campaign_id, metric_type, metric_name, conversion_type, sum(value) as value
    from campaign_metrics
    semi join latest using (campaign_id, pull)
    group by all
)

select
    null as date,
    totals.campaign_id as subject,
    'The days do not add up to the total: '
    || concat_ws(' ', totals.metric_type, totals.metric_name, totals.conversion_type) as finding,
    totals.total as expected,
    coalesce(sums.value, 0) as actual
from totals
left join sums
    on
        totals.campaign_id = sums.campaign_id
        and totals.metric_type is not distinct from sums.metric_type
        and totals.metric_name is not distinct from sums.metric_name
        and totals.conversion_type is not distinct from sums.conversion_type
-- Sums of money come as binary fractions; a thousandth is no difference.
where abs(totals.total - coalesce(sums.value, 0)) > 0.001;
