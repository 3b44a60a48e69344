-- title: Detailed campaign metrics
-- question: What do the detailed statistics say of each campaign, such as the sales that it brought?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of one campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   campaign_name    metric_name          kind      total  campaign_id
--   웹 첫 방문 쿠폰  close_button_click   standard  1025   E5uWm8
--   웹 첫 방문 쿠폰  in_web_message_show  standard  1874   E5uWm8
--   웹 첫 방문 쿠폰  main_button_click    standard  181    E5uWm8

with period as (from marts.period('campaigns', days := 28)),
metrics as (
    select campaign_metrics.*
    from campaign_metrics
    inner join period on campaign_metrics.date between period.first_day and period.last_day
    where marts.matches('campaign', campaign_metrics.campaign_id)
)
-- The detailed statistics hold ids only. Names come from the daily statistics, where those have the campaign.
select
    any_value(campaigns.campaign_name) as campaign_name,
    metrics.metric_name,
    coalesce(metrics.conversion_type, metrics.metric_type) as kind,
    sum(metrics.value)::double as total,
    metrics.campaign_id
from metrics
left join campaigns on metrics.campaign_id = campaigns.campaign_id
group by metrics.campaign_id, metrics.metric_type, metrics.metric_name, metrics.conversion_type
order by metrics.campaign_id, metrics.metric_type desc, metrics.metric_name, kind;
