-- title: Repeat buyers
-- title_ko: 재구매 고객
-- chart: line month bought_again_share, bar purchases buyers
-- subject: conversions and costs
-- question: How many people buy again, and after how many days, by number of purchases or month of the first one, according to your own orders?
-- question_ko: 우리 주문 데이터 기준으로 다시 구매하는 고객은 몇 명이고 며칠 만인가요? 첫 구매 월별로는 어떤가요?
-- words: first-time buyers, first time buyers, new customers who bought again, second purchase, cohort of buyers, buyers by month, 첫 구매, 첫 구매 고객, 월별 재구매, 신규 구매, repurchase cycle, 재구매 주기, repurchase, repurchase rate, buy again, repeat purchase, 재구매, 재구매율, 재구매률, customer lifetime value, lifetime value, first purchase, repeat purchases, 재구매 고객
-- also: people no_conversions
-- params:
--   start (date, default last_date - 89): first KST day; by default the range has 90 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   by (varchar, default 'purchases', one of purchases month): a row for each number of purchases in the range, or for each month of a person's first purchase in your table
-- sentences:
--   select sum(buyers) as people, coalesce(sum(buyers) filter (purchases > 1), 0) as returning_people, returning_people / people as share
--   from answer where purchases is not null having returning_people > 0
--     en: {returning_people} of {people} people ({share}) bought more than once.
--     ko: 구매한 {people}명 중 {returning_people}명({share})이 두 번 이상 구매했습니다.
--   select month, buyers as people, bought_again, bought_again_share from answer where month is not null and bought_again > 0
--   order by month limit 1
--     en: {bought_again} of {people} people ({bought_again_share}) whose first purchase was in the month from {month} bought again.
--     ko: {month}부터 한 달간 처음 구매한 {people}명 중 {bought_again}명({bought_again_share})이 다시 구매했습니다.
--   select 1 from answer where month is not null having count(*) > 1
--     en: People of later months have had less time to buy again.
--     ko: 최근에 처음 구매한 고객일수록 다시 구매할 시간이 짧았습니다.
--     as: note
--   select sum(buyers) as people from answer having people > 0 and max(purchases) = 1
--     en: None of {people} people bought more than once.
--     ko: 구매한 {people}명 중 두 번 이상 구매한 고객이 없습니다.
--   select p50_days_between from answer where purchases = 2 and p50_days_between is not null
--     en: Half of those with two purchases bought again within {p50_days_between} days.
--     ko: 두 번 구매한 고객의 절반은 {p50_days_between}일 안에 다시 구매했습니다.
--   select coalesce(sum(revenue_share) filter (purchases > 1), 0) as revenue_share from answer where purchases is not null having
--   sum(revenue) > 0
--     en: People who bought more than once brought {revenue_share} of the revenue.
--     ko: 두 번 이상 구매한 고객이 매출의 {revenue_share}를 차지합니다.
--   select 1 from answer where purchases is not null limit 1
--     en: Purchases before the first day are not counted, so more people may have bought before.
--     ko: 시작일 이전의 구매는 집계하지 않아 실제 재구매 고객은 더 많을 수 있습니다.
--     as: note

with params as (
    select *, marts.choice('by', ['purchases', 'month']) = 'month' as by_month
    from marts.period('statistics', days := 90)
),
-- By month, all purchases up to the last day count, so that the first one is known.
bought as (
    select
        count(*) as times,
        sum(conversions.value) as revenue,
        (epoch(max(conversions.converted_at)) - epoch(min(conversions.converted_at))) / 86_400 / nullif(count(*) - 1, 0) as days_between,
        any_value(conversions.currency) as currency,
        if(params.by_month, date_trunc('month', min(conversions.date))::date, null) as month
    from marts.conversion_people as conversions
    inner join params
        on
            conversions.date <= params.last_date
            and (params.by_month or conversions.date >= params.first_date)
    where conversions.person is not null
    group by conversions.person, params.by_month, params.first_date
    having min(conversions.date) >= params.first_date
),
-- Five and more conversions are one row.
grouped as (
    select
        month,
        if(month is null, least(times, 5), null) as purchases,
        count(*) as buyers,
        count(*) filter (times > 1) as bought_again,
        sum(times)::bigint as conversions,
        sum(revenue) as revenue,
        median(days_between) as days_between,
        any_value(currency) as currency
    from bought
    group by all
)
select
    purchases,
    purchases = 5 as or_more,
    month,
    buyers,
    if(month is null, null, bought_again) as bought_again,
    if(month is null, null, round(bought_again / buyers, 6)) as bought_again_share,
    round(buyers / sum(buyers) over (), 6) as buyer_share,
    conversions,
    round(revenue, 2) as revenue,
    round(revenue / nullif(sum(revenue) over (), 0), 6) as revenue_share,
    round(days_between, 1) as p50_days_between,
    currency
from grouped
order by month, purchases;
