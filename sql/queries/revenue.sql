-- title: Revenue
-- title_ko: 매출
-- chart: bar campaign_name revenue by variant_name
-- subject: conversions and costs
-- question: What did the messages of each campaign and of its variants sell, in total and per message?
-- question_ko: 캠페인과 테스트안별 매출, 메시지당 매출은 얼마인가요?
-- words: return on spend per campaign, roas per campaign, roi per campaign, 캠페인별 ROAS, 매출 캠페인, 캠페인 매출 순위, 매출 가장 큰 캠페인, 매출이 가장 큰 캠페인, sold, sells, best selling campaign, best-selling, which campaigns sold the most, journeys make money, money, earned, detailed statistics, 상세 통계, 벌었나, GMV, AOV, average order value, 거래액, 객단가, revenue, sales, turnover, 매출, 매출액, 판매액, 수익, top campaign by revenue, campaign with the highest revenue, 매출 1위 캠페인, revenue from messages, revenue brought in, earn the most money, money per message, most money, 메시지로 번, 메시지 매출, 번 돈
-- also: excluded goals_of_revenue
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   campaign (varchar, default null): only the campaign with this id
--   goal (varchar, default null): the conversion whose amounts count; by default the main goal of each campaign
-- given:
--   earned as (select answer.*, currencies[1] as currency, greatest(first_date, first_held) as first_date, least(last_date, last_held) as last_date,
--   (select count(distinct currency) from (select unnest(currencies) as currency from answer)) <= 1 as has_one_currency from answer,
--   marts.period('campaigns', days := 28) where variant_name is null and revenue > 0)
-- sentences:
--   from earned where getvariable('campaign') is null and has_one_currency order by revenue desc limit 1
--     en: “{campaign_name}” was credited with the most {first_date~last_date}: {revenue:money}.
--     ko: {first_date~last_date} 매출은 ‘{campaign_name}’{이/가} 가장 큽니다({revenue:money}).
--   from earned where succeeded >= 100 and has_one_currency qualify count(*) over () > 1 order by revenue_per_message desc limit 1
--     en: “{campaign_name}” was credited with the most per message, among those with at least 100 messages: {revenue_per_message:money}.
--     ko: 메시지 100건 이상 캠페인 중 메시지당 매출은 ‘{campaign_name}’{이/가} 가장 높습니다({revenue_per_message:money}).
--   from earned where cost_return is not null and has_one_currency qualify cost >= 0.05 * sum(cost) over () and count(*) over () > 1 order by cost_return desc
--   limit 1
--     en: Among campaigns with at least 5% of the cost, revenue per amount spent is highest for “{campaign_name}”: {cost_return} ({revenue:money} for
--       {cost:money} of messages).
--     ko: 비용의 5% 이상을 쓴 캠페인 중에서는 ‘{campaign_name}’의 비용 대비 매출(ROAS)이 {cost_return}{으로/로} 가장 높습니다(메시지 비용 {cost:money}, 매출 {revenue:money}).
--   from earned where getvariable('campaign') is not null
--     en: The service credits “{campaign_name}” with {revenue:money} {first_date~last_date}, {revenue_per_message:money} per message.
--     ko: {first_date~last_date} ‘{campaign_name}’ 매출은 {revenue:money}, 메시지당 {revenue_per_message:money}입니다(메시지 서비스 집계 기준).
--   select campaign_name, currencies from answer where variant_name is null and len(currencies) > 1
--     en: “{campaign_name}” has revenue in {currencies}, so it has no total.
--     ko: ‘{campaign_name}’의 매출은 여러 통화({currencies})여서 합계를 내지 않습니다.
--     as: note
--   select sum(sent) filter (resource_type = 'user-journey') / sum(sent) as rate from marts.message_days, marts.period('campaigns', days
--   := 28) as period where date between period.first_date and period.last_date and exists (from answer) having rate > 0
--     en: Revenue covers campaigns only. User journeys sent {rate} of the messages, and the service does not report their sales.
--     ko: 매출은 캠페인만 집계합니다. 전체 메시지의 {rate}는 유저 여정이 발송했으며, 메시지 서비스는 여정의 매출을 제공하지 않습니다.
--     as: note

with period as (from marts.period('campaigns', days := 28)),
-- The goal whose amounts count, unless one is given. If the service gives only amounts, its conversions are unknown.
goals as (
    select
        campaign_metrics.campaign_id,
        campaign_metrics.metric_name as goal,
        bool_or(campaign_metrics.conversion_type = 'total_count_conversion') as counts_conversions
    from campaign_metrics
    inner join (select distinct campaign_id, goal from marts.revenue_days) as chosen
        on campaign_metrics.campaign_id = chosen.campaign_id
    where
        campaign_metrics.metric_type = 'conversion'
        and marts.matches('campaign', campaign_metrics.campaign_id)
        and campaign_metrics.metric_name = coalesce(getvariable('goal')::varchar, chosen.goal)
    group by campaign_metrics.campaign_id, campaign_metrics.metric_name
    having bool_or(campaign_metrics.conversion_type = 'sales_conversion')
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
sums as (
    select
        metrics.campaign_id,
        metrics.variant,
        goals.goal,
        -- Unknown if the service never counts messages.
        if(
            count(metrics.value) filter (metrics.metric_type = 'standard') > 0,
            coalesce(sum(metrics.value) filter (metrics.metric_type = 'standard' and is_shown), 0),
            null
        )::bigint as succeeded,
        if(
            any_value(goals.counts_conversions),
            coalesce(sum(metrics.value) filter (metrics.conversion_type = 'total_count_conversion' and is_shown), 0),
            null
        )::bigint as conversions,
        -- Amounts of several currencies have no sum.
        if(
            len(any_value(currencies.currencies)) > 1,
            null,
            coalesce(sum(metrics.value) filter (metrics.conversion_type = 'sales_conversion' and is_shown), 0)
        )::double as revenue,
        marts.currencies_of(any_value(currencies.currencies)) as currencies
    from (select *, date >= (select first_date from period) as is_shown from metrics) as metrics
    inner join goals on metrics.campaign_id = goals.campaign_id
    left join currencies on metrics.campaign_id = currencies.campaign_id
    inner join period on metrics.date <= period.last_date
    where
        (metrics.metric_type = 'standard' and metrics.metric_name = 'send_success')
        or (metrics.metric_type = 'conversion' and metrics.metric_name = goals.goal)
    group by metrics.campaign_id, metrics.variant, goals.goal
    having bool_or(is_shown)
),
-- The cost is known for a campaign as a whole, not for its variants.
costs as (
    select message_costs.resource_id as campaign_id, sum(message_costs.cost) as cost
    from marts.message_costs
    inner join period on message_costs.date between period.first_date and period.last_date
    where message_costs.resource_type = 'campaign'
    group by message_costs.resource_id
    having sum(message_costs.succeeded - message_costs.priced) = 0
)
select
    coalesce(campaigns.campaign_name, sums.campaign_id) as campaign_name,
    coalesce(campaign_variants.variant_name, sums.variant) as variant_name,
    sums.succeeded,
    sums.conversions,
    round(sums.revenue, 2) as revenue,
    round(sums.revenue / nullif(sums.succeeded, 0), 2) as revenue_per_message,
    round(sums.revenue / nullif(sums.conversions, 0), 2) as revenue_per_conversion,
    if(sums.variant is null, round(costs.cost, 2), null) as cost,
    if(sums.variant is null, round(sums.revenue / nullif(costs.cost, 0), 1), null) as cost_return,
    sums.goal,
    sums.currencies,
    sums.campaign_id
from sums
left join costs on sums.campaign_id = costs.campaign_id
left join campaigns on sums.campaign_id = campaigns.campaign_id
left join campaign_variants
    on sums.campaign_id = campaign_variants.campaign_id and sums.variant = campaign_variants.variant_id
order by
    max(sums.revenue) over (partition by sums.campaign_id) desc nulls last,
    sums.campaign_id,
    variant_name nulls first;
