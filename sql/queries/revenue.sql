-- title: Revenue
-- question: What did the messages of each campaign sell, per message, and which variant sells most?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of the one campaign to look at
--   goal (varchar, default null): the conversion whose amounts count; unless given, the main goal of each campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   campaign_name     variant_name  succeeded  conversions  revenue  revenue_per_message  days_won  is_winner  …
--   11월 재구매 유도                4939       125          4824100  976.74                                    …
--   11월 재구매 유도  A             2458       40           1547280  629.49               6         false      …
--   11월 재구매 유도  B             2481       85           3276820  1320.77              14        false      …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('campaign')::varchar as only_campaign,
        getvariable('goal')::varchar as goal
    from ops.coverage
    where stream = 'campaigns'
),
main_goals as (
    select distinct resource_id as campaign_id, goal
    from marts.goals
    where is_main
),
-- One purchase may reach several goals, so the amounts of one count: those of the main goal, or of the goal with the most.
goals as (
    select
        campaign_metrics.campaign_id,
        campaign_metrics.metric_name as goal
    from campaign_metrics
    cross join params
    left join main_goals
        on
            campaign_metrics.campaign_id = main_goals.campaign_id
            and campaign_metrics.metric_name = main_goals.goal
    where
        campaign_metrics.conversion_type = 'sales_conversion'
        and (params.only_campaign is null or campaign_metrics.campaign_id = params.only_campaign)
        and (params.goal is null or campaign_metrics.metric_name = params.goal)
    group by campaign_metrics.campaign_id, campaign_metrics.metric_name
    qualify
        row_number() over (
            partition by campaign_metrics.campaign_id
            order by
                count(main_goals.goal) desc, sum(campaign_metrics.value) desc, campaign_metrics.metric_name
        ) = 1
),
metrics as (
    select campaign_id, null as variant_name, date, metric_type, metric_name, conversion_type, value
    from campaign_metrics
    union all
    select campaign_id, dimension_value, date, metric_type, metric_name, conversion_type, value
    from campaign_metric_dimensions
    where dimension_key = 'experiment_group_name'
),
days as (
    select
        metrics.campaign_id,
        metrics.variant_name,
        goals.goal,
        metrics.date,
        coalesce(sum(metrics.value) filter (metrics.metric_type = 'standard'), 0)::bigint as succeeded,
        coalesce(
            sum(metrics.value) filter (metrics.conversion_type = 'total_count_conversion'), 0
        )::bigint as conversions,
        coalesce(sum(metrics.value) filter (metrics.conversion_type = 'sales_conversion'), 0)::double as revenue,
        revenue / nullif(succeeded, 0) as revenue_per_message
    from metrics
    inner join goals on metrics.campaign_id = goals.campaign_id
    inner join params on metrics.date between params.first_day and params.last_day
    where
        (metrics.metric_type = 'standard' and metrics.metric_name = 'send_success')
        or (metrics.metric_type = 'conversion' and metrics.metric_name = goals.goal)
    group by metrics.campaign_id, metrics.variant_name, goals.goal, metrics.date
),
ranked as (
    select
        *,
        row_number() over best_first as place,
        revenue_per_message > lead(revenue_per_message) over best_first as is_alone
    from days
    window best_first as (
        partition by campaign_id, date, variant_name is null
        order by revenue_per_message desc nulls last
    )
),
sums as (
    select
        campaign_id,
        variant_name,
        goal,
        sum(succeeded)::bigint as succeeded,
        sum(conversions)::bigint as conversions,
        sum(revenue) as revenue,
        -- A day is won by the variant with the most revenue per message, if it is the only one with so much.
        count(*) filter (variant_name is not null and place = 1 and is_alone) as days_won
    from ranked
    group by campaign_id, variant_name, goal
),
compared as (
    select
        *,
        -- Of equal variants, each wins a day with this chance; a contest needs two of about the same size.
        case
            when
                variant_name is not null
                and count(variant_name) over campaign > 1
                and min(succeeded) filter (variant_name is not null) over campaign
                >= 0.8 * max(succeeded) filter (variant_name is not null) over campaign
            then 1 / count(variant_name) over campaign
        end as chance,
        sum(days_won) over campaign as days_decided,
        -- How much better another chance explains the days won, whichever it is. Of equal variants, one in twenty tests
        -- ever comes to 20 times the variants, however often one looks (Ville's inequality).
        exp(
            lgamma(days_won + 1) + lgamma(days_decided - days_won + 1) - lgamma(days_decided + 2)
            - days_won * ln(chance) - (days_decided - days_won) * ln(1 - chance)
        ) as evidence
    from sums
    window campaign as (partition by campaign_id)
)
select
    coalesce(campaigns.campaign_name, compared.campaign_id) as campaign_name,
    compared.variant_name,
    compared.succeeded,
    compared.conversions,
    round(compared.revenue, 2) as revenue,
    round(compared.revenue / nullif(compared.succeeded, 0), 2) as revenue_per_message,
    case when compared.variant_name is not null then compared.days_won end as days_won,
    compared.evidence >= 20 / compared.chance and compared.days_won > compared.chance * compared.days_decided as is_winner,
    round(compared.revenue / nullif(compared.conversions, 0), 2) as revenue_per_conversion,
    compared.goal,
    compared.campaign_id
from compared
left join campaigns on compared.campaign_id = campaigns.campaign_id
order by
    max(compared.revenue) over (partition by compared.campaign_id) desc,
    compared.campaign_id,
    compared.variant_name nulls first;
