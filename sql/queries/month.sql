-- title: Months
-- title_ko: 월간 실적
-- chart: line month sent
-- subject: overview
-- question: What did each month send, reach, earn and cost?
-- question_ko: 월별로 얼마나 발송했고, 몇 명이 받았으며, 매출과 비용은 얼마인가요?
-- words: monthly report, 월간 보고, 월별 실적, quarter, quarterly, 분기, board report, management report, revenue last month, how did the month go, 보고서, 이번 달 보고서, 월간 보고서
-- also: excluded goals_of_revenue one_goal no_messages webhooks
-- params:
--   months (bigint, default 6): how many months, up to the month of the latest available day
--   goal (varchar, default null): the conversion that counts; by default the main goal with the most conversions
-- sentences:
--   from answer where sent is not null order by month desc limit 1
--     en: {sent} messages were sent in {month}, failed ones included.
--     ko: {month}에 메시지 {sent}건을 발송했습니다(실패 포함).
--   from answer where revenue > 0 order by month desc limit 1
--     en: Campaigns were credited with {revenue:money} in {month}, by the service’s own attribution.
--     ko: {month} 캠페인 기여 매출은 {revenue:money}입니다(메시지 서비스 집계 기준).
--   from answer where message_cost > 0 order by month desc limit 1
--     en: Messages cost {message_cost:money} in {month}.
--     ko: {month} 메시지 비용은 {message_cost:money}입니다.
--   from answer where days_held < days order by month desc
--     en: {month} covers {days_held} of its {days} days ({first_date~last_date}), also for opt-outs, because the other days have no statistics.
--     ko: {month}은 {days}일 중 통계가 있는 {days_held}일({first_date~last_date}) 기준이며, 수신거부도 같은 기간입니다.
--     as: note
--   select month, revenue_days_held, days_held from answer where revenue is not null and revenue_days_held < days_held order by month desc
--     en: Revenue of {month} covers {revenue_days_held} days.
--     ko: {month} 매출은 {revenue_days_held}일분입니다.
--     as: note
--   select month, days_held, people_days_held from answer where people is not null and people_days_held < days_held order by month desc
--     en: People of {month} are counted on the {people_days_held} {people_days_held#day|days} with events.
--     ko: {month} 수신자 수는 이벤트 데이터가 있는 {people_days_held}일 기준입니다.
--     as: note
--   select sum(unpriced) as unpriced from answer where message_cost is not null having unpriced > 0
--     en: Cost leaves out {unpriced} messages without a price.
--     ko: 단가가 없는 메시지 {unpriced}건은 비용에서 제외했습니다.
--     as: note
--   select 1 from answer where revenue is not null limit 1
--     en: Revenue covers campaigns only, because the service does not report sales of user journeys.
--     ko: 메시지 서비스가 유저 여정의 매출을 제공하지 않아 매출은 캠페인만 집계합니다.
--     as: note
--   select 1 from marts.export_fees where fee > 0 and exists (from answer) limit 1
--     en: The fee of a month is that of the exports requested in it, whatever days they have.
--     ko: 이벤트 내보내기 비용은 내보낸 데이터의 날짜와 관계없이 요청한 달에 집계합니다.
--     as: note

with last_month as (
    select max(date_trunc('month', date))::date as first_day
    from ops.coverage
    where stream = 'statistics'
),
months as (
    select month::date as month, (month + interval 1 month)::date - 1 as last_date
    from (
        select unnest(
            generate_series(
                first_day - to_months(coalesce(getvariable('months')::bigint, 6)::integer - 1), first_day, interval 1 month
            )
        ) as month
        from last_month
    )
),
-- Everything except people and fees covers the days with statistics.
days as (select date from ops.coverage where stream = 'statistics'),
held as (
    select
        date_trunc('month', date)::date as month,
        min(date) filter (stream = 'statistics') as first_date,
        max(date) filter (stream = 'statistics') as last_date,
        count(*) filter (stream = 'statistics') as days_held,
        count(*) filter (stream = 'campaigns' and date in (from days)) as revenue_days_held,
        count(*) filter (stream = 'events') as people_days_held
    from ops.coverage
    group by all
),
top_goal as (
    select goal
    from marts.message_days
    inner join months on message_days.date between months.month and months.last_date
    where conversions > 0
    group by goal
    order by sum(conversions) desc, goal
    limit 1
),
performance as (
    select
        date_trunc('month', message_days.date)::date as month,
        unnest(marts.performance(message_days)),
        sum(message_days.conversions) filter (message_days.goal = (select goal from top_goal)) as goal_conversions
    from marts.message_days
    group by date_trunc('month', message_days.date)::date
),
costs as (
    select
        date_trunc('month', date)::date as month,
        sum(cost) as message_cost,
        sum(succeeded - priced)::bigint as unpriced
    from marts.message_costs
    semi join days using (date)
    group by all
),
-- Amounts of several currencies have no sum.
earned as (
    select
        date_trunc('month', date)::date as month,
        marts.members_of(list(currencies)) as names,
        if(coalesce(len(names), 0) > 1, null, sum(revenue)) as revenue
    from marts.revenue_days
    semi join days using (date)
    group by all
),
reached as (
    select
        date_trunc('month', daily_people.date)::date as month,
        count(distinct coalesce(people.person, daily_people.person)) as people
    from marts.daily_people
    left join marts.people on daily_people.person = people.weaker_id
    where daily_people.messages + daily_people.shown > 0
    group by all
),
opted_out as (
    select date_trunc('month', date)::date as month, count(*) as opt_outs
    from marts.opt_out_requests
    semi join days using (date)
    group by all
)
select
    strftime(months.month, '%Y-%m') as month,
    performance.sent,
    reached.people,
    round(performance.delivery_rate, 6) as delivery_rate,
    round(performance.click_rate, 6) as click_rate,
    performance.goal_conversions::bigint as conversions,
    round(earned.revenue, 2) as revenue,
    round(costs.message_cost, 2) as message_cost,
    round(export_fees.fee, 2) as fee,
    opted_out.opt_outs,
    (select goal from top_goal) as goal,
    coalesce(earned.names[1], (select currency from ops.budget)) as currency,
    costs.unpriced,
    held.first_date,
    held.last_date,
    held.days_held,
    held.people_days_held,
    held.revenue_days_held,
    months.last_date - months.month + 1 as days
from months
inner join held on months.month = held.month and held.days_held > 0
left join performance on months.month = performance.month
left join costs on months.month = costs.month
left join earned on months.month = earned.month
left join reached on months.month = reached.month
left join opted_out on months.month = opted_out.month
left join marts.export_fees on strftime(months.month, '%Y-%m') = export_fees.month and export_fees.fee > 0
order by months.month;
