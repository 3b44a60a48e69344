-- title: Revenue
-- question: What did the messages of each campaign sell, per message, and which variant sells most?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of the one campaign to look at
--   goal (varchar, default null): the conversion whose amounts count; unless given, the main goal of each campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   campaign_name     variant_name  succeeded  conversions  revenue  revenue_per_message  revenue_per_conversion  …
--   11월 재구매 유도                4939       125          4824100  976.74               38592.8                 …
--   11월 재구매 유도  A             2458       40           1547280  629.49               38682                   …
--   11월 재구매 유도  B             2481       85           3276820  1320.77              38550.82                …

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
        coalesce(sum(metrics.value) filter (metrics.conversion_type = 'sales_conversion'), 0)::double as revenue
    from metrics
    inner join goals on metrics.campaign_id = goals.campaign_id
    inner join params on metrics.date between params.first_day and params.last_day
    where
        (metrics.metric_type = 'standard' and metrics.metric_name = 'send_success')
        or (metrics.metric_type = 'conversion' and metrics.metric_name = goals.goal)
    group by metrics.campaign_id, metrics.variant_name, goals.goal, metrics.date
),
-- Of equal variants, each gets its share of the messages of the revenue of a day, however large the purchases are.
shares as (
    select
        *,
        case
            when variant_name is not null
            then revenue / nullif(sum(revenue) over variants_of_day, 0)
            / nullif(sum(succeeded) over variant_so_far / sum(succeeded) over variants_so_far, 0)
        end as relative_share
    from days
    window
        variants_of_day as (partition by campaign_id, variant_name is null, date),
        variant_so_far as (partition by campaign_id, variant_name order by date),
        variants_so_far as (partition by campaign_id, variant_name is null order by date)
),
sums as (
    select
        campaign_id,
        variant_name,
        goal,
        sum(succeeded)::bigint as succeeded,
        sum(conversions)::bigint as conversions,
        sum(revenue) as revenue,
        -- What one has who bets a part of all that one has on the variant, day after day at fair odds. Of equal variants, one
        -- in n ever makes n times the stake, however often one looks (Ville's inequality).
        (
            exp(sum(ln(0.9 + 0.1 * relative_share)))
            + exp(sum(ln(0.8 + 0.2 * relative_share)))
            + exp(sum(ln(0.6 + 0.4 * relative_share)))
            + exp(sum(ln(0.2 + 0.8 * relative_share)))
        ) / 4 as evidence
    from shares
    group by campaign_id, variant_name, goal
),
compared as (
    select *, count(variant_name) over (partition by campaign_id) as variants
    from sums
)
select
    coalesce(campaigns.campaign_name, compared.campaign_id) as campaign_name,
    compared.variant_name,
    compared.succeeded,
    compared.conversions,
    round(compared.revenue, 2) as revenue,
    round(compared.revenue / nullif(compared.succeeded, 0), 2) as revenue_per_message,
    round(compared.revenue / nullif(compared.conversions, 0), 2) as revenue_per_conversion,
    -- At most one test in twenty without a difference ever has a winner.
    case when compared.variants > 1 then compared.evidence >= 20 * compared.variants end as is_winner,
    round(compared.evidence, 4) as evidence,
    compared.goal,
    compared.campaign_id
from compared
left join campaigns on compared.campaign_id = campaigns.campaign_id
order by
    max(compared.revenue) over (partition by compared.campaign_id) desc,
    compared.campaign_id,
    compared.variant_name nulls first;
