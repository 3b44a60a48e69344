-- title: Revenue by day
-- title_ko: 일별 매출
-- chart: line date revenue
-- subject: conversions and costs
-- question: What did the campaigns sell on each day, and on the same weekday a week earlier?
-- question_ko: 캠페인 매출은 날마다 얼마이고, 전주 같은 요일보다 늘었나요?
-- words: daily revenue trend, 일별 매출 추이
-- also: excluded goals_of_revenue no_sales
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   campaign (varchar, default null): only the campaign with this id
-- sentences:
--   from answer where revenue > 0 and (select count(*) from answer) > 1 order by revenue desc, date limit 1
--     en: Revenue was highest on {date}: {revenue:money}.
--     ko: 매출이 가장 큰 날은 {date}입니다({revenue:money}).
--   select 1 from answer where revenue is null limit 1
--     en: Days with amounts in several currencies have no total.
--     ko: 여러 통화의 매출이 있는 날은 합계를 내지 않습니다.
--     as: note

with period as (from marts.period('campaigns', days := 28)),
sales as (
    select
        date,
        marts.members_of(list(currencies)) as currencies,
        -- Amounts of several currencies have no sum.
        if(max(len(currencies)) > 1 or len(marts.members_of(list(currencies))) > 1, null, sum(revenue)) as revenue
    from marts.revenue_days
    where marts.matches('campaign', campaign_id)
    group by date
),
-- On an available day without sales, revenue is 0.
days as (
    select
        coverage.date,
        if(sales.date is null, 0, sales.revenue) as revenue,
        coalesce(sales.currencies, []) as currencies
    from ops.coverage
    left join sales on coverage.date = sales.date
    where coverage.stream = 'campaigns' and exists (from sales)
)
select
    days.date,
    round(days.revenue, 2) as revenue,
    if(
        len(list_distinct(days.currencies || earlier.currencies)) > 1,
        null,
        round(days.revenue / nullif(earlier.revenue, 0) - 1, 6)
    ) as revenue_change,
    (select if(len(list_distinct(flatten(list(currencies)))) = 1, any_value(currencies[1]), null) from days) as currency
from days
inner join period on days.date between period.first_date and period.last_date
left join days as earlier on days.date - 7 = earlier.date
order by days.date;
