-- title: What messages cost
-- title_ko: 메시지 비용
-- chart: line month cost by channel, bar resource_name cost by channel, bar sub_channel cost by channel, bar channel cost
-- first: channel sub_channel month resource_name succeeded cost cost_per_click conversions cost_per_conversion
-- subject: conversions and costs
-- question: What did the messages of each channel, sub-channel, month or campaign cost, and what did a click and a conversion cost?
-- question_ko: 채널·하위 채널(SMS·LMS)·월·캠페인별 메시지 비용, 클릭당·전환당 비용은 얼마인가요?
-- words: cost per conversion, cost of a conversion, cost per campaign, sms cost, lms cost, cost per order, cost per month, 월별 비용, 주문당 비용, 문자 비용, how much did sms cost, cost of sms, message cost, unit price, cost per message, 발송 단가, 건당 비용, cpc, cpa, cost per click, spend, 클릭당 비용, 전환당 비용, 광고비, 발송비, spend by channel, spent on messages, cost per purchase, monthly message cost, 발송 비용
-- also: excluded no_messages scanned_mail first_day
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   by (varchar, default 'channel', one of channel sub_channel month campaign): what each row covers; months, campaigns and user journeys are shown by channel, and the range is extended to whole months
--   channel (varchar, default null): only this channel, such as push-notification
--   campaign (varchar, default null): only the campaign or user journey with this id
--   goal (varchar, default null): the conversion that counts; by default the main goal of each campaign and user journey
-- sentences:
--   select sum(cost) as cost, any_value(currency) as currency from answer having sum(cost) > 0
--     en: The messages cost {cost:money}.
--     ko: 메시지 비용은 {cost:money}입니다.
--   select sum(failover_texts) as texts, sum(failover_cost) as cost, any_value(currency) as currency from answer having cost > 0
--     en: {cost:money} of that is for {texts} {texts#text|texts} sent instead of failed messages.
--     ko: 그중 {cost:money}{은/는} 실패한 메시지 대신 보낸 문자 {texts}건의 비용입니다.
--   from answer where cost_per_click > 0 and resource_id is null and month is null qualify count(*) over () > 1 order by cost_per_click, channel limit 1
--     en: Among channels with a price above 0, a click costs least on {channel}: {cost_per_click:money}.
--     ko: 단가가 0보다 큰 채널 중 클릭당 비용은 {channel} 채널이 {cost_per_click:money}{으로/로} 가장 낮습니다.
--   select string_agg(distinct channel, ', ' order by channel) filter (unpriced > 0) as channels, sum(unpriced) as messages from answer
--   having messages > 0 and exists (from ops.message_prices)
--     en: Cost leaves out {messages} {messages#message|messages} without a price, on {channels:channels}.
--     ko: {channels:channels} 메시지 {messages}건은 단가가 없어 비용에서 제외했습니다.
--     as: note
--   select marts.days_without_texts(first_date, last_date) as days from marts.period('statistics', days := 28) where days > 0 and exists (from answer where failover_texts > 0)
--     en: Texts sent instead of failed messages are unknown on {days} {days#day|days} without events, so the true cost may be higher.
--     ko: 이벤트가 없는 {days}일은 실패한 메시지 대신 보낸 문자를 알 수 없어 실제 비용은 더 클 수 있습니다.
--     as: note
--   select sum(failover_texts) as texts from answer where failover_cost is null having texts > 0 and exists (from ops.message_prices)
--     en: Cost leaves out {texts} {texts#text|texts} sent instead of failed messages. Set a price for text-message failover.
--     ko: 실패한 메시지 대신 보낸 문자 {texts}건은 단가가 없어 비용에서 제외했습니다. `prices`에서 `text-message`의 `failover` 단가를 설정하세요.
--     as: note
--   select string_agg(concat_ws(' ', channel, sub_channel), ', ' order by channel, sub_channel) as channels from ops.message_prices where
--   (channel <> 'text-message' or sub_channel is distinct from 'failover') and not exists (from daily_statistics as used where used.channel =
--   message_prices.channel and message_prices.sub_channel is null) and not exists (from daily_statistics_by_subchannel as used where
--   used.channel = message_prices.channel and marts.sub_channel_name(used.channel_sub) = message_prices.sub_channel) having
--   count(*) > 0
--     en: A price is set for {channels}, but the warehouse has no such messages. Check the name of the channel.
--     ko: {channels} 메시지의 단가를 설정했지만 해당 메시지가 없습니다. 채널 이름을 확인하세요.
--     as: note
--   select 1 where exists (from answer) and not exists (from answer where price is not null) and not exists (from ops.message_prices)
--     en: Costs are unknown because no message has a price. Set prices in dawnload.yaml; the next run uses them.
--     ko: 메시지 단가가 설정되지 않아 비용은 표시하지 않습니다. dawnload.yaml에 prices를 설정하면 다음 실행부터 반영됩니다.
--   select goal from (select goal, sum(conversions) as conversions from marts.goals where is_main group by goal) where exists (from answer where goals is not null
--   and conversions is null) order by conversions desc, goal limit 1
--     en: Conversions of different goals have no total. `goal` counts one of them, such as “{goal}”.
--     ko: 목표가 다른 전환은 합산하지 않습니다. `goal`에 ‘{goal}’ 등 한 목표를 지정하면 그 전환만 집계합니다.
--     as: note

with params as (
    select
        if(rows_by = 'month', date_trunc('month', first_date)::date, first_date) as first_date,
        if(rows_by = 'month', last_day(last_date), last_date) as last_date,
        rows_by
    from (
        select *, marts.choice('by', ['channel', 'sub_channel', 'month', 'campaign']) as rows_by
        from marts.period('statistics', days := 28)
    )
),
costs_by_day as (
    select
        message_costs.* replace (
            if(params.rows_by = 'campaign', message_costs.resource_type, null) as resource_type,
            if(params.rows_by = 'campaign', message_costs.resource_id, null) as resource_id,
            if(params.rows_by = 'sub_channel', message_costs.sub_channel, null) as sub_channel
        ),
        if(params.rows_by = 'month', date_trunc('month', message_costs.date)::date, null) as month
    from marts.message_costs
    inner join params on message_costs.date between params.first_date and params.last_date
    where marts.matches('channel', message_costs.channel) and marts.matches('campaign', message_costs.resource_id)
),
split as (select distinct date, channel from costs_by_day where sub_channel is not null),
days as (
    select
        message_days.* replace (
            if(params.rows_by = 'campaign', message_days.resource_type, null) as resource_type,
            if(params.rows_by = 'campaign', message_days.resource_id, null) as resource_id
        ),
        null as sub_channel,
        if(params.rows_by = 'month', date_trunc('month', message_days.date)::date, null) as month
    from marts.message_days
    inner join params on message_days.date between params.first_date and params.last_date
    anti join split on message_days.date = split.date and message_days.channel = split.channel
    where
        marts.matches('channel', message_days.channel) and marts.matches('campaign', message_days.resource_id)
    -- Statistics by sub-channel do not count the main goals.
    union all by name
    select
        statistics.date,
        statistics.channel,
        marts.sub_channel_name(statistics.channel_sub) as sub_channel,
        statistics.message_sent as sent,
        statistics.message_failed as failed,
        if(statistics.message_failed > statistics.message_sent, null, statistics.message_sent - statistics.message_failed) as succeeded,
        statistics.delivered,
        statistics.click as clicked,
        if(statistics.click is null, null, marts.clickable_messages(statistics.channel, succeeded, statistics.delivered)) as clickable
    from daily_statistics_by_subchannel as statistics
    semi join split on statistics.date = split.date and statistics.channel = split.channel
    where marts.matches('campaign', statistics.resource_id)
),
totals as (
    select
        channel,
        sub_channel,
        month,
        resource_type,
        resource_id,
        unnest(marts.performance(days)),
        -- Messages whose clicks or conversions are not counted are left out of the price per click or conversion.
        sum(succeeded) filter (clicked is not null) as click_messages,
        sum(succeeded) filter (conversions is not null) as goal_messages
    from days
    group by channel, sub_channel, month, resource_type, resource_id
),
costs as (
    select
        channel,
        sub_channel,
        month,
        resource_type,
        resource_id,
        sum(succeeded)::bigint as succeeded,
        sum(succeeded - priced)::bigint as unpriced,
        sum(message_cost) / nullif(sum(priced), 0) as price,
        sum(failover_texts)::bigint as failover_texts,
        sum(failover_cost) as failover_cost,
        sum(cost) as cost
    from costs_by_day
    group by all
)
-- The price per click or conversion is that of the messages only, without texts sent in place of failed ones.
select
    coalesce(totals.channel, costs.channel) as channel,
    totals.sub_channel,
    totals.month,
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name, totals.resource_id) as resource_name,
    coalesce(totals.succeeded, costs.succeeded) as succeeded,
    round(costs.price, 4) as price,
    round(costs.cost, 2) as cost,
    totals.clicked,
    round(costs.price * totals.click_messages / nullif(totals.clicked, 0), 2) as cost_per_click,
    totals.conversions,
    round(costs.price * totals.goal_messages / nullif(totals.conversions, 0), 2) as cost_per_conversion,
    array_to_string(totals.goals, ', ') as goals,
    budget.currency,
    costs.unpriced,
    costs.failover_texts,
    round(costs.failover_cost, 2) as failover_cost,
    totals.resource_type,
    totals.resource_id
from totals
full join costs
    on
        totals.channel is not distinct from costs.channel
        and totals.sub_channel is not distinct from costs.sub_channel
        and totals.month is not distinct from costs.month
        and totals.resource_type is not distinct from costs.resource_type
        and totals.resource_id is not distinct from costs.resource_id
left join ops.budget on true
left join campaigns on totals.resource_type = 'campaign' and totals.resource_id = campaigns.campaign_id
left join user_journeys
    on totals.resource_type = 'user-journey' and totals.resource_id = user_journeys.user_journey_id
order by totals.month, costs.cost desc nulls last, totals.channel, totals.sub_channel, totals.resource_id;
