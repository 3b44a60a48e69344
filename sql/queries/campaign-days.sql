-- title: A campaign by day
-- subject: campaigns
-- question: How did each campaign, or each variant of its A/B test, do from day to day?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of the one campaign to look at
--   channel (varchar, default null): only this channel, such as push-notification
--   by (varchar, default 'campaign', one of campaign variant): a row for each campaign, or for each variant of A/B tests
--   goal (varchar, default null): the conversion that counts; unless given, the main goal of each campaign
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- sentences:
--   select campaign_name, sum(sent) as sent, count(distinct date) as days from answer group by campaign_id, campaign_name order
--   by sent desc limit 1
--     en: “{campaign_name}” sent the most in these days: {sent} messages on {days} {days#day|days}.
--     ko: 이 기간에 가장 많이 발송한 캠페인은 ‘{campaign_name}’{으로/로}, {days}일 동안 {sent}건입니다.
--   select 1 where not exists (from answer)
--     en: No campaign sent messages on the days that are held.
--     ko: 보유한 날짜에 발송한 캠페인이 없습니다.
--   select 1 from answer where channel = 'email' and clicked > 0 limit 1
--     en: Daily statistics count the clicks that mail scanners make on e-mails, and cannot be cleaned of them; events can.
--     ko: 일별 통계의 이메일 클릭에는 메일 검사기의 클릭이 포함되어 있으며 가려낼 수 없습니다. 이벤트에서는 가려낼 수 있습니다.
--     as: note
-- example:
--   date        campaign_name     variant_name  channel                sent  clicked  click_rate  conversions  …
--   2026-10-24  11월 재구매 유도                push-notification      0     8                    0            …
--   2026-10-24  가격 인하 알림                  web-push-notification  51    2        0.0408      1            …
--   2026-10-24  결제 실패 안내                  text-message           20                         0            …

with params as (
    select *, coalesce(getvariable('by')::varchar, 'campaign') as grain
    from marts.period('statistics', days := 28)
),
days as (
    select campaign_days.*, null as variant_name
    from marts.campaign_days
    inner join params on campaign_days.date between params.first_day and params.last_day
    where params.grain = 'campaign'
    union all by name
    select variant_days.*
    from marts.variant_days
    inner join params on variant_days.date between params.first_day and params.last_day
    where params.grain = 'variant'
)
select
    days.date,
    days.campaign_name,
    days.variant_name,
    days.channel,
    days.sent,
    days.clicked,
    round(days.click_rate, 4) as click_rate,
    days.conversions,
    round(days.conversion_rate, 4) as conversion_rate,
    round(days.failure_rate, 4) as failure_rate,
    round(days.delivery_rate, 4) as delivery_rate,
    days.failed,
    days.succeeded,
    days.delivered,
    days.direct_conversions,
    days.goal,
    days.campaign_id
from days
where marts.matches('campaign', days.campaign_id) and marts.matches('channel', days.channel)
order by days.date, days.campaign_name, days.channel, days.campaign_id, days.variant_name;
