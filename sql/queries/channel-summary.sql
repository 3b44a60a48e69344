-- title: Channels
-- title_ko: 채널 요약
-- chart: line first_date sent by channel, bar channel sent
-- first: first_date channel sent click_rate conversions conversion_rate delivery_rate failure_rate clicked
-- subject: overview
-- question: How many messages did each channel send, over a range or by day, week or month, and with what results?
-- question_ko: 채널별 발송과 성과는 어떤가요? 일·주·월 단위로도 볼 수 있습니다.
-- words: compare channels, email compare push sms, weekly trend, sends per week, sends per day, push, push notification, push notifications, 푸시, 푸시 알림, sent, send volume, how many messages were sent, daily, 발송량, 발송 건수, 일별 발송, delivery rate, deliverability, 도달률, 도달율, 전달률, email performance, push performance, channel performance, compare on click rate, messages per day, messages per month, 채널 성과, 친구톡 성과
-- also: scanned_mail excluded no_messages first_day webhooks
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   by (varchar, default 'channel', one of channel day week month): what each row covers; the range is extended to whole weeks (from Monday) or months
--   channel (varchar, default null): only this channel, such as push-notification
--   goal (varchar, default null): the conversion that counts; by default the main goal of each campaign and user journey
-- sentences:
--   with held as (select min(date) as first_date, max(date) as last_date from ops.coverage where stream = 'statistics') select channel,
--   sum(sent) as sent, sum(sum(sent)) over () as messages, greatest(min(min(answer.first_date)) over (), any_value(held.first_date)) as first_date,
--   least(max(max(answer.last_date)) over (), any_value(held.last_date)) as last_date from answer, held where getvariable('channel') is null and channel is distinct from 'all' group by
--   channel having sum(sent) > 0 qualify rank() over (order by sum(sent)) = count(*) over ()
--     en: {channel} sent the most messages {first_date~last_date}: {sent} of {messages}.
--     ko: {first_date~last_date} 발송은 {channel} 채널이 가장 많습니다(전체 {messages}건 중 {sent}건).
--   from answer where channel <> 'all' and not marts.is_display(channel) and sent >= 100 and click_rate > 0 and (select count(*) =
--   count(distinct channel) from answer) qualify count(*) over () > 1 and rank() over (order by click_rate desc) = 1
--     en: Click rate is highest on {channel}: {click_rate} of messages that did not fail. In-app and in-web messages are not compared with them.
--     ko: 클릭률은 {channel}{이/가} 가장 높습니다(발송 성공 대비 {click_rate}, 인앱·인웹 메시지 제외).
--   select list(distinct goals) as goals from answer where goals is not null having count(distinct goals) > 1 or count(*) filter
--   (conversions is null) > 0
--     en: Conversions of different goals have no total.
--     ko: 목표가 다른 전환은 합산하지 않습니다.
--     as: note
--   select 1 from answer limit 1
--     en: “Sent” counts attempts, failed ones included, and does not mean “delivered”. Only some channels report deliveries.
--     ko: 발송 건수는 실패를 포함한 시도 수이며, 도달하지 않은 메시지도 포함됩니다. 도달 여부는 도달을 집계하는 채널에서만 확인할 수 있습니다.
--     as: note
--   select 1 from answer where channel = 'all' and delivered is not null and exists (from answer where marts.is_display(channel) and delivered > 0)
--     en: The row “all” leaves out in-app and in-web messages in delivered and the delivery rate, because they are shown.
--     ko: ‘전체’ 행의 도달 수와 도달률에는 노출을 집계하는 인앱·인웹 메시지를 넣지 않습니다.
--     as: note
--   select first_date, sum(sent) as sent, lag(sum(sent)) over (order by first_date) as previous, if(max(days) > 7, 'month', 'week') as unit,
--   if(max(days) > 7, '달', '주') as unit_ko from answer where days_held = days and days >= 7 group by first_date qualify row_number()
--   over (order by first_date desc) = 1 and previous is not null
--     en: {sent} messages were sent in the latest complete {unit} (from {first_date:day}), versus {previous} in the one before.
--     ko: 데이터가 모두 있는 가장 최근 {unit_ko}({first_date:day}부터)에는 {sent}건, 그 직전 {unit_ko}에는 {previous}건을 발송했습니다.
--   select count(distinct first_date) as periods from answer where days_held < days having periods > 0
--     en: {periods} {periods#period is|periods are} incomplete. Compare rates and messages per day, not sums.
--     ko: 일부 날짜의 데이터가 없는 기간이 {periods}개 있습니다. 합계가 아니라 비율과 하루 평균을 비교하세요.
--     as: note

with params as (
    select
        grain,
        if(grain in ('week', 'month'), date_trunc(grain, first_date)::date, first_date) as first_date,
        case grain
            when 'week' then date_trunc('week', last_date)::date + 6
            when 'month' then last_day(last_date)
            else last_date
        end as last_date
    from (select *, marts.choice('by', ['channel', 'day', 'week', 'month']) as grain from marts.period('statistics', days := 28))
),
range_days as (
    select grain, first_date, unnest(range(first_date, last_date + 1, interval 1 day))::date as date
    from params
),
days as (
    select
        range_days.date,
        -- The range begins with the first available day.
        if(
            range_days.grain = 'channel',
            coalesce(min(range_days.date) filter (coverage.date is not null) over (), range_days.first_date),
            date_trunc(replace(range_days.grain, 'channel', 'day'), range_days.date)::date
        ) as period,
        coverage.date is not null as is_held,
        range_days.grain
    from range_days
    left join ops.coverage on coverage.stream = 'statistics' and range_days.date = coverage.date
),
-- A period with missing days is shown with its available days and their number.
periods as (
    select
        period,
        if(any_value(grain) = 'channel', max(date) filter (is_held), max(date)) as last_date,
        count(*) as days,
        count(*) filter (is_held) as days_held
    from days
    group by period
),
messages as (
    select days.period, channel_days.*
    from marts.channel_days
    inner join days on channel_days.date = days.date
    where marts.matches('channel', channel_days.channel)
),
-- The last row of a range is the total of its channels.
performance as (
    select
        period,
        grouping(channel) as is_total,
        -- The service may give no channel.
        if(is_total = 1, 'all', channel) as channel,
        unnest(marts.performance(messages)),
        sum(messages.delivered) filter (messages.deliverable is not null)::bigint as delivered_of_deliverable
    from messages
    group by grouping sets ((period, channel), (period))
    having is_total = 0 or (count(distinct channel) > 1 and (select grain = 'channel' from params))
)
select
    performance.period as first_date,
    periods.last_date,
    performance.channel,
    performance.sent,
    performance.failed,
    performance.succeeded,
    -- The total has the deliveries of its rate: in-app and in-web messages are shown, not delivered.
    if(performance.is_total = 1, performance.delivered_of_deliverable, performance.delivered) as delivered,
    performance.clicked,
    performance.conversions,
    performance.direct_conversions,
    round(performance.failure_rate, 6) as failure_rate,
    round(performance.delivery_rate, 6) as delivery_rate,
    round(performance.click_rate, 6) as click_rate,
    round(performance.conversion_rate, 6) as conversion_rate,
    array_to_string(performance.goals, ', ') as goals,
    round(performance.sent / periods.days_held, 1) as sent_per_day,
    periods.days_held,
    periods.days
from performance
inner join periods on performance.period = periods.period
order by performance.period, performance.is_total, performance.channel;
