-- title: Revenue by channel
-- title_ko: 채널별 매출
-- chart: bar channel revenue
-- subject: conversions and costs
-- question: What did the campaigns of each channel sell, per message and per amount spent?
-- question_ko: 채널별 캠페인 매출은 얼마이고, 메시지당 매출과 비용 대비 매출은 얼마인가요?
-- words: which channel earns the most, 채널 수익, email revenue, revenue per email, 이메일 매출, 채널 매출, roas, roi, revenue per cost, return on ad spend, 비용 대비 매출, 광고 수익률, 로아스, worth of a message, what is a message worth, message worth, revenue per message, return on investment, investment, revenue of sms, revenue from email, 메시지 한 건의 가치, 투자 대비, revenue compared to the week before, email revenue compared
-- also: excluded goals_of_revenue no_sales
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
-- given:
--   earned as (select answer.*, currencies[1] as currency, sum(revenue) over () as revenue_of_all, count(*) over () as rows_of_all, max(revenue) over () as
--   most, greatest(first_date, first_held) as first_date, least(last_date, last_held) as last_date from answer, marts.period('campaigns', days := 28) where
--   (select count(distinct currency) from (select unnest(currencies) as currency from answer)) <= 1 and revenue > 0)
-- sentences:
--   from earned where rows_of_all > 1 and channel <> 'several' and revenue = most limit 1
--     en: Campaigns were credited with {revenue_of_all:money} {first_date~last_date}, the largest part through {channel}: {revenue:money}
--       ({revenue_share}).
--     ko: {first_date~last_date} 캠페인 매출은 {revenue_of_all:money}이며, {channel} 매출이 {revenue:money}({revenue_share})으로 가장 큽니다.
--   from earned where rows_of_all = 1 and channel <> 'several'
--     en: Campaigns on {channel} were credited with {revenue:money} {first_date~last_date}.
--     ko: {first_date~last_date} {channel} 캠페인 매출은 {revenue:money}입니다.
--   from earned where cost_return is not null and channel <> 'several' qualify cost >= 0.05 * sum(cost) over () and count(*) over () > 1 order by cost_return desc limit 1
--     en: Among channels with at least 5% of the cost, revenue per amount spent is highest on {channel}: {cost_return} ({revenue:money} for {cost:money} of
--       messages).
--     ko: 비용의 5% 이상을 쓴 채널 중에서는 {channel}의 비용 대비 매출(ROAS)이 {cost_return}{으로/로} 가장 높습니다(메시지 비용 {cost:money}, 매출 {revenue:money}).
--   select channel, currencies from answer where channel <> 'several' and len(currencies) > 1
--     en: Campaigns on {channel} have revenue in {currencies}, so it has no total.
--     ko: {channel} 캠페인의 매출은 여러 통화({currencies})여서 합계를 내지 않습니다.
--     as: note
--   select campaigns from answer where channel = 'several'
--     en: The service does not divide the revenue of the {campaigns} {campaigns#campaign|campaigns} on several channels.
--     ko: 여러 채널로 발송한 캠페인({campaigns}개)의 매출은 메시지 서비스가 채널별로 나누어 제공하지 않습니다.
--     as: note
--   select 1 from answer limit 1
--     en: Messages and costs are those of campaigns whose sales the service reports. It reports no sales of user journeys.
--     ko: 메시지와 비용은 메시지 서비스가 매출을 제공하는 캠페인만 집계합니다. 유저 여정의 매출은 제공하지 않습니다.
--     as: note

with period as (
    select *, marts.days_back(first_date, last_date) as back from marts.period('campaigns', days := 28)
),
-- The service reports sales per campaign, not per channel.
senders as (
    select campaign_id, if(count(distinct channel) > 1, 'several', any_value(channel)) as channel
    from daily_statistics
    where campaign_id in (select campaign_id from marts.revenue_days)
    group by campaign_id
),
-- The previous range is compared if the service had collected each of its days.
earlier as (
    select min(coverage.date) as from_day
    from ops.coverage
    cross join period
    where
        coverage.stream = 'campaigns'
        and coverage.date between first_date - back and last_date - back
    having count(*) = any_value(last_date - first_date + 1)
),
sales as (
    select
        campaign_id,
        sum(revenue) filter (date >= first_date) as revenue,
        sum(revenue) filter (date <= last_date - back) as previous_revenue,
        max(len(currencies)) > 1 as is_mixed,
        marts.members_of(list(currencies)) as currencies
    from marts.revenue_days
    inner join period
        on revenue_days.date between coalesce((select from_day from earlier), period.first_date) and period.last_date
    group by campaign_id
),
messages as (
    select message_costs.resource_id as campaign_id, sum(message_costs.succeeded) as succeeded, sum(message_costs.cost) as cost
    from marts.message_costs
    inner join period on message_costs.date between period.first_date and period.last_date
    where message_costs.resource_type = 'campaign'
    group by message_costs.resource_id
),
sums as (
    select
        senders.channel,
        count(sales.revenue) as campaigns,
        coalesce(marts.members_of(list(sales.currencies)), []) as currencies,
        -- Amounts of several currencies have no sum.
        bool_or(sales.is_mixed) or len(marts.members_of(list(sales.currencies))) > 1 as lacks_sum,
        if(lacks_sum, null, sum(sales.revenue)) as revenue,
        if(lacks_sum, null, sum(sales.previous_revenue)) as previous_revenue,
        sum(messages.succeeded) filter (sales.revenue is not null)::bigint as succeeded,
        sum(messages.cost) filter (sales.revenue is not null) as cost
    from sales
    left join senders on sales.campaign_id = senders.campaign_id
    left join messages on sales.campaign_id = messages.campaign_id
    where marts.matches('channel', senders.channel)
    group by senders.channel
    having count(sales.revenue) > 0
)
select
    channel,
    round(revenue, 2) as revenue,
    round(revenue / nullif(sum(revenue) over (), 0), 6) as revenue_share,
    round(revenue / nullif(previous_revenue, 0) - 1, 6) as revenue_change,
    succeeded,
    round(revenue / nullif(succeeded, 0), 2) as revenue_per_message,
    round(cost, 2) as cost,
    round(revenue / nullif(cost, 0), 1) as cost_return,
    campaigns,
    currencies
from sums
order by revenue desc nulls last, channel;
