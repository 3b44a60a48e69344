-- title: Segments
-- title_ko: 세그먼트별 성과
-- chart: bar value revenue_per_person, bar value click_rate
-- first: segment value people click_rate buyers buyer_share revenue revenue_per_person
-- subject: conversions and costs
-- question: How do the segments of your customers differ in messages, clicks and revenue per person?
-- question_ko: 고객 세그먼트별로 메시지, 클릭, 1인당 매출이 어떻게 다른가요?
-- words: grade, tier, gender, age, 등급별 성과, 성별, 연령, by city, by segment, customer groups, 고객 그룹, 등급
-- also: people exports
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   segment (varchar, default null): a column under `segments` of an audience; by default the first by name
-- sentences:
--   select segment, value, revenue_per_person as mean, (sum(revenue) over () - revenue) / (sum(people) over () - people) as others, people,
--   currency from answer where value is not null and revenue is not null qualify count(*) over () > 1 and people >= 10 and mean > others
--   order by mean desc, value limit 1
--     en: “{value}” ({segment}) has the highest revenue per person: {mean:money}, versus {others:money} in the other segments.
--     ko: 1인당 매출은 ‘{value}’({segment}){이/가} {mean:money}{으로/로} 가장 높습니다(나머지 {others:money}).
--   select segment, value, click_rate as rate, (sum(clickers) over () - clickers) / (sum(clickable_people) over () - clickable_people)
--   as others_rate, clickable_people from answer where value is not null and clickable_people > 0 qualify count(*) over () > 1
--   and clickable_people >= 10 and rate > others_rate order by rate desc, value limit 1
--     en: “{value}” has the most people who click: {rate}, versus {others_rate} in the other segments.
--     ko: 클릭한 고객 비율은 ‘{value}’{이/가} {rate}로 가장 높습니다(나머지 {others_rate}).
--   select 1 from answer having count(*) > 1
--     en: Segments differ in more than their messages. `uplift` shows what messages bring.
--     ko: 세그먼트의 차이는 메시지 때문만은 아닙니다. 메시지의 효과는 `uplift`에서 확인하세요.
--     as: note
--   select days_held, days from answer where days_held < days limit 1
--     en: Messages and clicks cover the {days_held} of {days} days with events.
--     ko: 메시지와 클릭은 {days}일 중 이벤트가 있는 {days_held}일 기준입니다.
--     as: note
--   select 1 where not exists (from answer) and not exists (from own.segments)
--     en: No segments yet. To define segments, name columns under `segments` of an audience in the settings.
--     ko: 아직 세그먼트가 없습니다. 데이터 담당자에게 dawnload.yaml의 `audiences`에 `segments`를 추가해 달라고 요청하세요.
--   select string_agg(distinct segment, ', ' order by segment) as segments from own.segments where not exists (from answer) having segments is not null
--     en: No audience has that segment. Segments are {segments}.
--     ko: 해당 세그먼트가 없습니다. 사용할 수 있는 세그먼트는 {segments}입니다.

with params as (
    select
        *,
        coalesce(getvariable('segment')::varchar, (select min(segment) from own.segments)) as segment,
        marts.days_held('events', first_date, last_date) as days_held
    from marts.period('statistics', days := 28)
),
members as (
    select distinct
        segments.value,
        coalesce(people.person, numbered.strongest_id) as person
    from own.segments
    inner join params on segments.segment = params.segment
    cross join lateral (
        select marts.strongest_id(
            segments.user_id, segments.service_user_id, segments.device_id, segments.service_device_id
        ) as strongest_id
    ) as numbered
    left join marts.people on numbered.strongest_id = people.weaker_id
    where coalesce(people.person, numbered.strongest_id) is not null
),
received as (
    select
        coalesce(people.person, daily_people.person) as person,
        daily_people.channel,
        sum(daily_people.messages) as messages,
        sum(daily_people.messages - daily_people.failover_texts) as clickable,
        sum(if(marts.is_display(daily_people.channel), 0, daily_people.clicked)) as clicked
    from marts.daily_people
    inner join params on daily_people.date between params.first_date and params.last_date
    left join marts.people on daily_people.person = people.weaker_id
    group by all
),
-- Leaves out channels without any click, because they show nothing about interest.
reached as (
    select
        person,
        sum(messages) as messages,
        coalesce(sum(clickable) filter (counts_clicks), 0) > 0 as is_clickable,
        sum(clicked) filter (clickable > 0) > 0 as has_clicked
    from (select *, sum(clicked) over (partition by channel) > 0 as counts_clicks from received) as rates
    group by person
),
bought as (
    select
        conversions.person,
        sum(conversions.value) as revenue,
        any_value(conversions.currency) as currency
    from marts.conversion_people as conversions
    inner join params on conversions.date between params.first_date and params.last_date
    group by conversions.person
),
counted as (
    select
        members.value,
        count(*) as people,
        count(*) filter (reached.messages > 0) as messaged_people,
        coalesce(sum(reached.messages), 0)::bigint as messages,
        count(*) filter (reached.is_clickable) as clickable_people,
        count(*) filter (reached.is_clickable and reached.has_clicked) as clickers,
        count(*) filter (bought.person is not null) as buyers,
        if(exists (from own.conversions), coalesce(sum(bought.revenue), 0), null) as revenue,
        any_value(bought.currency) as currency
    from members
    left join reached on members.person = reached.person
    left join bought on members.person = bought.person
    group by members.value
)
select
    params.segment,
    counted.value,
    counted.people,
    counted.messaged_people,
    counted.messages,
    counted.clickable_people,
    counted.clickers,
    round(counted.clickers / nullif(counted.clickable_people, 0), 6) as click_rate,
    counted.buyers,
    round(counted.buyers / counted.people, 6) as buyer_share,
    round(counted.revenue, 2) as revenue,
    round(counted.revenue / counted.people, 2) as revenue_per_person,
    max(counted.currency) over () as currency,
    params.days_held,
    params.last_date - params.first_date + 1 as days
from counted
cross join params
order by revenue_per_person desc nulls last, counted.people desc, counted.value;
