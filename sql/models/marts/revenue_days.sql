-- grain: one KST day and campaign with amounts (E19).
--
-- One purchase may reach several goals, so only the amounts of one goal count: the main goal, or else the goal with the largest
-- amount. Amounts in several currencies have no sum.

with goals as (
    select campaign_metrics.campaign_id, campaign_metrics.metric_name as goal
    from campaign_metrics
    left join (select distinct resource_id, goal from marts.goals where is_main) as main
        on campaign_metrics.campaign_id = main.resource_id and campaign_metrics.metric_name = main.goal
    where campaign_metrics.metric_type = 'conversion' and campaign_metrics.conversion_type = 'sales_conversion'
    group by campaign_metrics.campaign_id, campaign_metrics.metric_name
    qualify
        row_number() over (
            partition by campaign_metrics.campaign_id
            order by count(main.goal) desc, sum(campaign_metrics.value) desc, campaign_metrics.metric_name
        ) = 1
),

currencies as (
    select campaign_id, date, metric_name, list_sort(list(distinct dimension_value)) as currencies
    from campaign_metric_dimensions
    where conversion_type = 'sales_conversion' and marts.is_currency(dimension_key) and value <> 0
    group by campaign_id, date, metric_name
)

select
    metrics.date,
    metrics.campaign_id,
    campaigns.campaign_name,
    metrics.metric_name as goal,
    if(len(currencies.currencies) > 1, null, metrics.value)::double as revenue,
    marts.currencies_of(currencies.currencies) as currencies
from campaign_metrics as metrics
left join campaigns on metrics.campaign_id = campaigns.campaign_id
inner join goals on metrics.campaign_id = goals.campaign_id and metrics.metric_name = goals.goal
left join currencies
    on
        metrics.campaign_id = currencies.campaign_id
        and metrics.date = currencies.date
        and metrics.metric_name = currencies.metric_name
where metrics.metric_type = 'conversion' and metrics.conversion_type = 'sales_conversion'
