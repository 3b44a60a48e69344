-- title: Detailed campaign metrics
-- title_ko: 캠페인 상세 지표
-- subject: campaigns
-- question: What do the detailed statistics show for each campaign, such as its sales?
-- question_ko: 매출 등 캠페인의 상세 통계는 어떤가요?
-- also: excluded
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   campaign (varchar, default null): only the campaign with this id
-- sentences:
--   select campaign_name, metric_name, currencies from answer where len(currencies) > 1
--     en: “{metric_name}” of “{campaign_name}” has amounts in {currencies}, so it has no total.
--     ko: ‘{campaign_name}’의 ‘{metric_name}’ 금액은 여러 통화({currencies})여서 합계를 내지 않습니다.
--     as: note

with period as (from marts.period('campaigns', days := 28)),
currencies as (
    select campaign_id, metric_name, list_sort(list(distinct dimension_value)) as currencies
    from campaign_metric_dimensions
    inner join period on campaign_metric_dimensions.date between period.first_date and period.last_date
    where conversion_type = 'sales_conversion' and marts.is_currency(dimension_key) and value <> 0
    group by campaign_id, metric_name
)
-- The detailed statistics have only ids. Names come from the daily statistics, if those have the campaign.
select
    any_value(campaigns.campaign_name) as campaign_name,
    metrics.metric_name,
    coalesce(metrics.conversion_type, metrics.metric_type) as kind,
    -- Amounts of several currencies have no sum.
    if(len(any_value(currencies.currencies)) > 1, null, sum(metrics.value)::double) as total,
    metrics.campaign_id,
    coalesce(any_value(currencies.currencies), []) as currencies
from campaign_metrics as metrics
inner join period on metrics.date between period.first_date and period.last_date
left join campaigns on metrics.campaign_id = campaigns.campaign_id
left join currencies
    on
        metrics.conversion_type = 'sales_conversion'
        and metrics.campaign_id = currencies.campaign_id
        and metrics.metric_name = currencies.metric_name
where marts.matches('campaign', metrics.campaign_id)
group by metrics.campaign_id, metrics.metric_type, metrics.metric_name, metrics.conversion_type
order by metrics.campaign_id, metrics.metric_type desc, metrics.metric_name, kind;
