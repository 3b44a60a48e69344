-- title: Best customers
-- title_ko: 구매 상위 고객
-- chart: bar id revenue
-- subject: conversions and costs
-- question: Who buys the most, according to your own orders, and how many messages do they get and click?
-- question_ko: 우리 주문 데이터 기준으로 가장 많이 구매하는 고객은 누구이고, 메시지를 얼마나 받고 클릭하나요?
-- words: top spenders, VIP, 많이 구매한 고객, 많이 산 고객, vip, best customers, 우수 고객, 단골
-- also: people no_conversions
-- params:
--   start (date, default last_date - 89): first KST day; by default the range has 90 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   top (bigint, default 100, from 1): how many people to show
-- sentences:
--   select max(revenue_of_all) as revenue, max(people_of_all) as people, max(currency) as currency from answer having people > 0 and revenue > 0
--     en: {people} {people#person|people} bought for {revenue:money}.
--     ko: 고객 {people}명이 총 {revenue:money}{을/를} 결제했습니다.
--   select sum(revenue) / max(revenue_of_all) as revenue_share, max(people_of_all) as people, count(*) as buyers from answer
--   where rank <= ceil(people_of_all / 10) having max(people_of_all) >= 10 and max(revenue_of_all) > 0 and buyers = ceil(max(people_of_all) / 10)
--     en: The top 10% of them ({buyers}) brought {revenue_share} of it.
--     ko: 구매액 상위 10%({buyers}명)가 전체 매출의 {revenue_share}를 차지합니다.
--   select count(*) as buyers from answer where messages = 0 and days_held = days having buyers > 0
--     en: {buyers} of the people shown got no message on these days.
--     ko: 표시된 고객 중 {buyers}명은 이 기간에 메시지를 받지 않았습니다.
--     as: note
--   select any_value(days_held) as days_held, any_value(days) as days from answer having days_held < days
--     en: Only {days_held} of the {days} days have events. People got more messages, and clicked more, than shown here.
--     ko: {days}일 중 이벤트 데이터가 있는 날은 {days_held}일입니다. 실제로 받은 메시지와 클릭은 더 많습니다.
--     as: note

with params as (from marts.period('statistics', days := 90)),
buyers as (
    select
        conversions.person,
        min(conversions.id) as id,
        count(*) as conversions,
        sum(conversions.value) as revenue,
        any_value(conversions.currency) as currency,
        min(conversions.date) as first_date,
        max(conversions.date) as last_date
    from marts.conversion_people as conversions
    inner join params on conversions.date between params.first_date and params.last_date
    where conversions.id is not null
    group by conversions.person
),
received as (
    select
        coalesce(people.person, daily_people.person) as person,
        sum(daily_people.messages + daily_people.shown)::bigint as messages,
        sum(daily_people.clicked)::bigint as clicked
    from marts.daily_people
    inner join params on daily_people.date between params.first_date and params.last_date
    left join marts.people on daily_people.person = people.weaker_id
    group by coalesce(people.person, daily_people.person)
),
ranked as (
    select
        row_number() over (order by buyers.revenue desc nulls last, buyers.conversions desc, buyers.id) as rank,
        buyers.*,
        coalesce(received.messages, 0) as messages,
        coalesce(received.clicked, 0) as clicked,
        sum(buyers.revenue) over () as revenue_of_all,
        count(*) over () as people_of_all
    from buyers
    left join received on buyers.person = received.person
)
select
    rank,
    id,
    conversions,
    round(revenue, 2) as revenue,
    currency,
    messages,
    clicked,
    first_date,
    last_date,
    round(revenue_of_all, 2) as revenue_of_all,
    people_of_all,
    (select marts.days_held('events', first_date, last_date) from params) as days_held,
    (select last_date - first_date + 1 from params) as days
from ranked
where rank <= coalesce(getvariable('top')::bigint, 100)
order by rank;
