-- title: Detailed campaign metrics
-- question: What do the detailed statistics say of each campaign, such as the sales that it brought?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of one campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   campaign_name    metric_type  metric_name          conversion_type  days  total      campaign_id
--   웹 첫 방문 쿠폰  standard     close_button_click                    28    1025.0000  E5uWm8
--   웹 첫 방문 쿠폰  standard     in_web_message_show                   28    1874.0000  E5uWm8
--   웹 첫 방문 쿠폰  standard     main_button_click                     27    181.0000   E5uWm8

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('campaign')::varchar as only_campaign
    from ops.coverage
    where stream = 'campaigns'
),
metrics as (
    select campaign_metrics.*
    from campaign_metrics
    inner join params on campaign_metrics.date between params.first_day and params.last_day
    where params.only_campaign is null or campaign_metrics.campaign_id = params.only_campaign
)
-- The detailed statistics hold ids alone; the daily ones know the names, if they hold the campaign too.
select
    any_value(campaigns.campaign_name) as campaign_name,
    metrics.metric_type,
    metrics.metric_name,
    metrics.conversion_type,
    count(distinct metrics.date) as days,
    sum(metrics.value) as total,
    metrics.campaign_id
from metrics
left join campaigns on metrics.campaign_id = campaigns.campaign_id
group by metrics.campaign_id, metrics.metric_type, metrics.metric_name, metrics.conversion_type
order by metrics.campaign_id, metrics.metric_type desc, metrics.metric_name, metrics.conversion_type;
