-- title: Templates and titles
-- title_ko: 템플릿과 제목
-- subject: contents
-- question: Which templates and titles do best on each channel?
-- also: exports
-- params:
--   channel (varchar, default null): only this channel, such as push-notification
--   least_sent (bigint, default 1, from 0): only contents with at least this many sends
-- sentences:
--   select channel, content, sent, click_rate from answer where sent >= 100 and click_rate is not null order by click_rate
--   desc, sent desc limit 1
--     en: Of what was sent at least 100 times, “{content}” ({channel}) has the highest click rate: {click_rate} of {sent} messages.
--     ko: 100건 이상 발송한 내용 중 클릭률이 가장 높은 것은 ‘{content}’({channel}){으로/로}, 발송 {sent}건 기준 {click_rate}입니다.

select
    content_performance.channel,
    content_performance.content_kind,
    content_performance.content,
    content_performance.sent,
    content_performance.failed,
    content_performance.delivered,
    content_performance.clicked,
    round(content_performance.failure_rate, 4) as failure_rate,
    round(content_performance.delivery_rate, 4) as delivery_rate,
    round(content_performance.click_rate, 4) as click_rate,
    content_performance.machine_clicks,
    content_performance.first_date,
    content_performance.last_date
from marts.content_performance
where
    content_performance.sent >= coalesce(getvariable('least_sent')::bigint, 1)
    and marts.matches('channel', content_performance.channel)
order by content_performance.channel, content_performance.sent desc, content_performance.content;
