-- title: Channels by day
-- question: How many messages went out on each channel on each day, and what became of them?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
--   goal (varchar, default null): the conversion that counts; unless given, the main goal of each campaign and user journey
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- sentences:
--   select channel, sum(sent) as sent, sum(sum(sent)) over () as messages, min(min(date)) over () as first_day, max(max(date)) over
--   () as last_day from answer group by channel order by 2 desc limit 1
--     en: From {first_day} to {last_day}, {channel} sent the most: {sent} of {messages} messages.
--     ko: {first_day}~{last_day}에 {channel} 채널이 가장 많은 메시지를 보냈습니다(전체 {messages}건 중 {sent}건).
--   select list(distinct goals) as goals from answer where goals is not null having count(distinct goals) > 1 or count(*) filter
--   (conversions is null) > 0
--     en: Conversions of different goals are not added up.
--     ko: 목표가 서로 다른 전환은 합산하지 않습니다.
--     as: note
--   select 1 from answer limit 1
--     en: Sent is not reached: only deliveries tell what arrived, on channels that report them.
--     ko: 발송은 도달이 아닙니다. 도착 여부는 도달을 집계하는 채널의 도달 수로만 알 수 있습니다.
--     as: note
--   select 1 from answer where channel = 'email' and clicked > 0 limit 1
--     en: Daily statistics count the clicks that mail scanners make on e-mails, and cannot be cleaned of them; the events show them (campaign-performance).
--     ko: 일별 통계의 이메일 클릭에는 메일 검사기의 클릭이 포함되어 있으며 가려낼 수 없습니다. 이벤트에서는 가려낼 수 있습니다(campaign-performance).
--     as: note
--   select 1 where not exists (from answer)
--     en: No daily statistics are held of these days.
--     ko: 이 기간의 일별 통계가 없습니다.
-- example:
--   date        channel                sent  failed  succeeded  delivered  clicked  conversions  …
--   2026-10-24  chatapp-alimtalk       344   16      328                                         …
--   2026-10-24  chatapp-brand-message  204   16      188                            3            …
--   2026-10-24  chatapp-friendtalk     28    3       25                             1            …

with period as (from marts.period('statistics', days := 28))
select
    channel_days.date,
    channel_days.channel,
    channel_days.sent,
    channel_days.failed,
    channel_days.succeeded,
    channel_days.delivered,
    channel_days.clicked,
    channel_days.conversions,
    channel_days.direct_conversions,
    round(channel_days.failure_rate, 4) as failure_rate,
    round(channel_days.delivery_rate, 4) as delivery_rate,
    round(channel_days.click_rate, 4) as click_rate,
    round(channel_days.conversion_rate, 4) as conversion_rate,
    array_to_string(channel_days.goals, ', ') as goals
from marts.channel_days
inner join period on channel_days.date between period.first_day and period.last_day
where marts.matches('channel', channel_days.channel)
order by channel_days.date, channel_days.channel;
