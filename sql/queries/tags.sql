-- title: Tags
-- title_ko: 태그
-- chart: bar tag sent by channel
-- subject: campaigns
-- question: How do the campaigns with each tag perform together?
-- question_ko: 태그별 캠페인 성과는 어떤가요?
-- words: which tags perform best, tag performance, coupon campaigns, 쿠폰 캠페인 성과, 카테고리별
-- also: scanned_mail excluded first_day
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
--   goal (varchar, default null): the conversion that counts; by default the main goal of each campaign
-- sentences:
--   select tag, sum(sent) as sent from answer group by tag having sum(sent) > 0 qualify rank() over (order by sum(sent)) =
--   count(*) over ()
--     en: The most used tag is “{tag}”: {sent} messages.
--     ko: 태그별로는 ‘{tag}’의 메시지가 가장 많습니다({sent}건).
--   select 1 from answer having count(distinct tag) > 1
--     en: A message with several tags counts for each of them.
--     ko: 태그가 여러 개인 메시지는 태그마다 집계합니다.
--     as: note
--   select 1 where not exists (from answer)
--     en: No matching message of these days has a tag.
--     ko: 이 기간의 조건에 맞는 메시지에 태그가 없습니다.

with period as (from marts.period('statistics', days := 28)),
-- A campaign with two tags counts for both, so rows must not be added up.
tags as (
    select
        tag_days.tag,
        tag_days.channel,
        count(distinct tag_days.date) filter (tag_days.sent > 0) as days_sent,
        unnest(marts.performance(tag_days))
    from marts.tag_days
    inner join period on tag_days.date between period.first_date and period.last_date
    where marts.matches('channel', tag_days.channel)
    group by tag_days.tag, tag_days.channel
)
select
    tag,
    channel,
    sent,
    clicked,
    conversions,
    round(failure_rate, 6) as failure_rate,
    round(click_rate, 6) as click_rate,
    round(conversion_rate, 6) as conversion_rate,
    round(delivery_rate, 6) as delivery_rate,
    days_sent,
    failed,
    succeeded,
    delivered,
    direct_conversions,
    array_to_string(goals, ', ') as goals
from tags
order by tag, channel;
