-- title: Templates and titles
-- title_ko: 템플릿과 제목
-- chart: bar content click_rate by channel
-- first: content content_kind channel sent click_rate clicked delivery_rate failure_rate
-- subject: contents
-- question: Which templates and titles perform best on each channel?
-- question_ko: 채널별로 성과가 가장 좋은 템플릿과 제목은 무엇인가요?
-- words: button text, buttons, 버튼 문구, message text, message texts, 메시지 문구, 메시지 내용, 문구별 성과, subject line open rate, 제목별 클릭률, 제목별 오픈율, text, texts, copy, wording, subject line, 문구, 카피, 제목, 소재, 멘트
-- also: exports
-- params:
--   channel (varchar, default null): only this channel, such as push-notification
--   least_sent (bigint, default 1, from 0): only contents with at least this many sends
-- sentences:
--   select channel, content, clicked, clickable, click_rate, if(marts.is_display(channel), 'shown', 'that did not fail') as way,
--   if(marts.is_display(channel), '노출', '발송 성공') as way_ko from answer where clickable >= 100 qualify count(*) over (partition by channel)
--   > 1 and row_number() over (partition by channel order by click_rate_low desc, clickable desc, content) = 1 order by clickable
--   desc limit 3
--     en: “{content}” performs best on {channel}: {clicked} clicks on {clickable} messages {way} ({click_rate}).
--     ko: {channel} 채널에서는 ‘{content}’의 성과가 가장 좋습니다({way_ko} {clickable}건 중 클릭 {clicked}건, {click_rate}).
--   select 1 from answer where clickable >= 100 limit 1
--     en: Contents are ranked by the lower end of the 95% interval of the click rate, within a channel.
--     ko: 순위는 채널별로 클릭률 95% 신뢰 구간의 하한을 기준으로 합니다.
--     as: note

select
    content_performance.channel,
    content_performance.content_kind,
    content_performance.content,
    content_performance.sent,
    content_performance.failed,
    content_performance.delivered,
    content_performance.clicked,
    content_performance.clickable,
    round(content_performance.failure_rate, 6) as failure_rate,
    round(content_performance.delivery_rate, 6) as delivery_rate,
    round(content_performance.click_rate, 6) as click_rate,
    round(
        marts.wilson_interval(least(content_performance.clicked, content_performance.clickable), content_performance.clickable).low, 6
    ) as click_rate_low,
    content_performance.machine_clicks,
    content_performance.first_date,
    content_performance.last_date
from marts.content_performance
where
    content_performance.sent >= coalesce(getvariable('least_sent')::bigint, 1)
    and marts.matches('channel', content_performance.channel)
order by
    content_performance.channel,
    click_rate_low desc nulls last,
    content_performance.sent desc,
    content_performance.content;
