-- title: User journeys by day
-- subject: journeys
-- question: How did each node of a user journey do from day to day?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   journey (varchar, default null): id of the one user journey to look at
--   goal (varchar, default null): the conversion that counts; unless given, the main goal of each user journey
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- sentences:
--   select user_journey_name, sum(sent) as sent, count(distinct date) as days from answer group by user_journey_id,
--   user_journey_name order by sent desc limit 1
--     en: “{user_journey_name}” sent the most in these days: {sent} messages on {days} {days#day|days}.
--     ko: 이 기간에 가장 많이 발송한 유저 여정은 ‘{user_journey_name}’{으로/로}, {days}일 동안 {sent}건입니다.
--   select 1 where not exists (from answer)
--     en: No user journey sent messages on the days that are held.
--     ko: 보유한 날짜에 발송한 유저 여정이 없습니다.
-- example:
--   date        user_journey_name  user_journey_node_name  channel            sent  clicked  click_rate  …
--   2026-10-24  신규 회원 온보딩   환영 푸시               push-notification  53    0        0           …
--   2026-10-24  신규 회원 온보딩   첫 구매 쿠폰            chatapp-alimtalk   35                         …
--   2026-10-24  신규 회원 온보딩   이용 안내 메일          email              34    0        0           …

with period as (from marts.period('statistics', days := 28))
select
    journey_node_days.date,
    journey_node_days.user_journey_name,
    journey_node_days.user_journey_node_name,
    journey_node_days.channel,
    journey_node_days.sent,
    journey_node_days.clicked,
    round(journey_node_days.click_rate, 4) as click_rate,
    journey_node_days.conversions,
    round(journey_node_days.conversion_rate, 4) as conversion_rate,
    round(journey_node_days.failure_rate, 4) as failure_rate,
    round(journey_node_days.delivery_rate, 4) as delivery_rate,
    journey_node_days.failed,
    journey_node_days.succeeded,
    journey_node_days.delivered,
    journey_node_days.direct_conversions,
    journey_node_days.goal,
    journey_node_days.user_journey_id,
    journey_node_days.user_journey_node_id
from marts.journey_node_days
inner join period on journey_node_days.date between period.first_day and period.last_day
where marts.matches('journey', journey_node_days.user_journey_id)
order by
    journey_node_days.date,
    journey_node_days.user_journey_id,
    journey_node_days.user_journey_node_id,
    journey_node_days.channel;
