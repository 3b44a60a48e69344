-- title: Revenue
-- subject: conversions and costs
-- question: What did the messages of each campaign sell, per message, and which variant sells most?
-- params:
--   start (date, default last_date - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of the one campaign to look at
--   goal (varchar, default null): the conversion whose amounts count; unless given, the main goal of each campaign
-- sentences:
--   select campaign_name, revenue, greatest(first_date, first_held) as first_date from answer, marts.period('campaigns', days := 28)
--   where variant_name is null and revenue > 0 and (select count(distinct currency) from (select unnest(currencies) as currency from
--   answer)) <= 1 order by revenue desc limit 1
--     en: Since {first_date}, “{campaign_name}” sold the most: {revenue:money}.
--     ko: {first_date}부터 매출이 가장 큰 캠페인은 ‘{campaign_name}’{으로/로}, {revenue:money}입니다.
--   select campaign_name, revenue_per_message from answer where variant_name is null and revenue > 0 and revenue_per_message is not null
--   and (select count(distinct currency) from (select unnest(currencies) as currency from answer)) <= 1 qualify count(*) over () > 1
--   order by revenue_per_message desc limit 1
--     en: Most per message: “{campaign_name}”, {revenue_per_message:money}.
--     ko: 메시지당 매출이 가장 큰 캠페인은 ‘{campaign_name}’{으로/로}, {revenue_per_message:money}입니다.
--   from answer where variant_name is not null and is_winner
--     en: {variant_name} of “{campaign_name}” sells more per message than the other variants.
--     ko: ‘{campaign_name}’에서는 {variant_name}안의 메시지당 매출이 다른 안보다 큽니다.
--   select campaign_name, currencies from answer where variant_name is null and len(currencies) > 1
--     en: “{campaign_name}” sold in {currencies}: amounts of several currencies have no sum.
--     ko: ‘{campaign_name}’의 매출은 {currencies} 통화로 섞여 있어 합계를 내지 않습니다.
--     as: note

with period as (from marts.period('campaigns', days := 28)),
main_goals as (
    select distinct resource_id as campaign_id, goal
    from marts.goals
    where is_main
),
-- One purchase may reach several goals, so only the amounts of one goal count: the main goal, or else the goal with the largest
-- amount. Its conversions are unknown where the service gives amounts alone.
goals as (
    select
        campaign_metrics.campaign_id,
        campaign_metrics.metric_name as goal,
        bool_or(campaign_metrics.conversion_type = 'total_count_conversion') as counts_conversions
    from campaign_metrics
    left join main_goals
        on
            campaign_metrics.campaign_id = main_goals.campaign_id
            and campaign_metrics.metric_name = main_goals.goal
    where
        campaign_metrics.metric_type = 'conversion'
        and marts.matches('campaign', campaign_metrics.campaign_id)
        and marts.matches('goal', campaign_metrics.metric_name)
    group by campaign_metrics.campaign_id, campaign_metrics.metric_name
    having bool_or(campaign_metrics.conversion_type = 'sales_conversion')
    qualify
        row_number() over (
            partition by campaign_metrics.campaign_id
            order by
                count(main_goals.goal) desc,
                sum(campaign_metrics.value) filter (campaign_metrics.conversion_type = 'sales_conversion') desc,
                campaign_metrics.metric_name
        ) = 1
),
metrics as (
    select campaign_id, null as variant, date, metric_type, metric_name, conversion_type, value
    from campaign_metrics
    union all
    -- A variant may have been renamed.
    select
        dimensions.campaign_id,
        coalesce(variant_names.variant_id, dimensions.dimension_value),
        dimensions.date,
        dimensions.metric_type,
        dimensions.metric_name,
        dimensions.conversion_type,
        dimensions.value
    from campaign_metric_dimensions as dimensions
    left join variant_names
        on
            dimensions.campaign_id = variant_names.campaign_id
            and dimensions.dimension_value = variant_names.variant_name
    where dimensions.dimension_key = 'experiment_group_name'
),
currencies as (
    select dimensions.campaign_id, list_sort(list(distinct dimensions.dimension_value)) as currencies
    from campaign_metric_dimensions as dimensions
    inner join goals on dimensions.campaign_id = goals.campaign_id and dimensions.metric_name = goals.goal
    inner join period on dimensions.date <= period.last_date
    where
        dimensions.conversion_type = 'sales_conversion'
        and marts.is_currency(dimensions.dimension_key)
        and dimensions.value <> 0
    group by dimensions.campaign_id
),
counted as (
    select
        metrics.campaign_id,
        metrics.variant,
        goals.goal,
        metrics.date,
        sum(metrics.value) filter (metrics.metric_type = 'standard')::bigint as succeeded,
        coalesce(
            sum(metrics.value) filter (metrics.conversion_type = 'total_count_conversion'), 0
        )::bigint as conversions,
        coalesce(sum(metrics.value) filter (metrics.conversion_type = 'sales_conversion'), 0)::double as revenue
    from metrics
    inner join goals on metrics.campaign_id = goals.campaign_id
    inner join period on metrics.date <= period.last_date
    where
        (metrics.metric_type = 'standard' and metrics.metric_name = 'send_success')
        or (metrics.metric_type = 'conversion' and metrics.metric_name = goals.goal)
    group by metrics.campaign_id, metrics.variant, goals.goal, metrics.date
),
-- A variant without a row on a day had no sales.
grid as (
    select *
    from (select distinct campaign_id, variant, goal from counted) as variants
    inner join (select distinct campaign_id, date from counted) as dates using (campaign_id)
),
days as (
    select
        grid.campaign_id,
        grid.variant,
        grid.goal,
        grid.date,
        counted.succeeded,
        coalesce(counted.conversions, 0) as conversions,
        coalesce(counted.revenue, 0) as revenue
    from grid
    left join counted
        on
            grid.campaign_id = counted.campaign_id
            and grid.variant is not distinct from counted.variant
            and grid.date = counted.date
),
-- If variants are equal, each expects a share of the day's revenue equal to its share of the messages so far, whatever the size
-- of purchases. Refunds are not revenue, and days before all variants have sent are not compared.
shares as (
    select
        *,
        sum(succeeded) over variant_so_far as variant_messages,
        sum(succeeded) over variants_so_far as all_messages,
        sum(greatest(0, revenue)) over variants_of_day as revenue_of_day,
        case
            when variant is not null and variant_messages > 0 and revenue_of_day > 0
            then greatest(0, revenue) / revenue_of_day / (variant_messages / all_messages)
        end as relative_share
    from days
    window
        variants_of_day as (partition by campaign_id, variant is null, date),
        variant_so_far as (partition by campaign_id, variant order by date),
        variants_so_far as (partition by campaign_id, variant is null order by date)
),
sums as (
    select
        campaign_id,
        variant,
        goal,
        -- Unknown where the service never counts messages.
        if(count(succeeded) > 0, coalesce(sum(succeeded) filter (is_shown), 0), null)::bigint as succeeded,
        coalesce(sum(conversions) filter (is_shown), 0)::bigint as conversions,
        coalesce(sum(revenue) filter (is_shown), 0) as revenue,
        -- Counts from the first day of the test, whatever the range: a bet that restarts every morning eventually wins by chance.
        -- The capital of a gambler who bets a part of it on the variant every day at fair odds. Among equal variants, at most one
        -- in n ever multiplies the stake by n, however often it is checked (Ville's inequality), provided that a day's purchases
        -- do not depend on those of earlier days.
        (
            exp(sum(ln(0.9 + 0.1 * relative_share)))
            + exp(sum(ln(0.8 + 0.2 * relative_share)))
            + exp(sum(ln(0.6 + 0.4 * relative_share)))
            + exp(sum(ln(0.2 + 0.8 * relative_share)))
        ) / 4 as evidence
    from (select *, date >= (select first_date from period) as is_shown from shares)
    group by campaign_id, variant, goal
    having bool_or(is_shown)
),
compared as (
    select
        sums.* exclude (conversions, revenue, evidence),
        coalesce(currencies.currencies, []) as currencies,
        -- Amounts of several currencies have no sum.
        if(len(currencies) > 1, null, sums.revenue) as revenue,
        if(len(currencies) > 1, null, sums.evidence) as evidence,
        if(goals.counts_conversions, sums.conversions, null) as conversions,
        coalesce(campaign_variants.variant_name, sums.variant) as variant_name,
        count(sums.variant) over (partition by sums.campaign_id) as variants
    from sums
    inner join goals on sums.campaign_id = goals.campaign_id
    left join campaign_variants
        on sums.campaign_id = campaign_variants.campaign_id and sums.variant = campaign_variants.variant_id
    left join currencies on sums.campaign_id = currencies.campaign_id
)
select
    coalesce(campaigns.campaign_name, compared.campaign_id) as campaign_name,
    compared.variant_name,
    compared.succeeded,
    compared.conversions,
    round(compared.revenue, 2) as revenue,
    round(compared.revenue / nullif(compared.succeeded, 0), 2) as revenue_per_message,
    round(compared.revenue / nullif(compared.conversions, 0), 2) as revenue_per_conversion,
    -- At most one in twenty tests without a difference ever names a winner.
    case when compared.variants > 1 then compared.evidence >= 20 * compared.variants end as is_winner,
    round(compared.evidence, 4) as evidence,
    compared.goal,
    compared.currencies,
    compared.campaign_id
from compared
left join campaigns on compared.campaign_id = campaigns.campaign_id
order by
    max(compared.revenue) over (partition by compared.campaign_id) desc nulls last,
    compared.campaign_id,
    compared.variant_name nulls first;
