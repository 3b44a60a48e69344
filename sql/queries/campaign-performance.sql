-- title: Campaigns and user journeys over a range
-- subject: campaigns
-- question: What did each campaign and user journey send, on which channel, and how did people respond?
-- counts: people
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
--   tag (varchar, default null): only campaigns with this tag
--   goal (varchar, default null): the conversion that counts; unless given, the main goal of each campaign and user journey
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- sentences:
--   select any_value(resource_name) as resource_name, sum(sent) as sent, (select sum(sent) from answer) as of_all from answer
--   group by resource_type, resource_id having sum(sent) > 0 order by sent desc limit 1
--     en: “{resource_name}” sent the most: {sent} of {of_all} messages.
--     ko: 가장 많이 발송한 것은 ‘{resource_name}’{으로/로}, 전체 {of_all}건 중 {sent}건입니다.
--   select 1 where not exists (from answer)
--     en: No campaign and no user journey sent messages on the days that are held.
--     ko: 보유한 날짜에 발송한 캠페인이나 유저 여정이 없습니다.
--   select 1 from answer where channel = 'email' and clicked > 0 limit 1
--     en: Daily statistics count the clicks that mail scanners make on e-mails, and cannot be cleaned of them; machine_click_share and human_click_rate come from the events.
--     ko: 일별 통계의 이메일 클릭에는 메일 검사기의 클릭이 포함되어 있으며 가려낼 수 없습니다. machine_click_share와 human_click_rate는 이벤트에서 계산합니다.
--     as: note
-- example:
--   resource_name       channel            sent  clicked  conversions  failure_rate  click_rate  conversion_rate  …
--   11월 재구매 유도    push-notification  5094  270      125          0.0298        0.0546      0.0253           …
--   장바구니 이탈 알림  push-notification  4734  188      77           0.0306        0.041       0.0168           …
--   주문 완료 안내      chatapp-alimtalk   3162                        0.0398                                     …

with period as (from marts.period('statistics', days := 28)),
resources as (
    select
        message_days.resource_type,
        message_days.resource_id,
        message_days.channel,
        min(message_days.date) as first_date,
        max(message_days.date) as last_date,
        unnest(marts.performance(message_days))
    from marts.message_days
    inner join period on message_days.date between period.first_day and period.last_day
    where
        marts.matches('channel', message_days.channel)
        and (getvariable('tag') is null or list_contains(message_days.tags, getvariable('tag')::varchar))
    group by message_days.resource_type, message_days.resource_id, message_days.channel
),
-- machine_click_share divides by the clicks whose message the events show.
machines as (
    select
        coalesce(times.campaign_id, times.user_journey_id) as resource_id,
        times.channel,
        sum(times.machine_clicks) / sum(times.responses + times.machine_clicks) as machine_click_share
    from marts.daily_response_times as times
    inner join period on times.date between period.first_day and period.last_day
    where times.response = 'clicked'
    group by all
)
select
    -- Names may change, so the newest one is shown.
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    resources.channel,
    resources.sent,
    resources.clicked,
    resources.conversions,
    round(resources.failure_rate, 4) as failure_rate,
    round(resources.click_rate, 4) as click_rate,
    round(resources.conversion_rate, 4) as conversion_rate,
    round(machines.machine_click_share, 4) as machine_click_share,
    round(resources.click_rate * (1 - machines.machine_click_share), 4) as human_click_rate,
    resources.goals[1] as goal,
    resources.failed,
    resources.delivered,
    round(resources.delivery_rate, 4) as delivery_rate,
    resources.direct_conversions,
    resources.first_date,
    resources.last_date,
    resources.resource_type,
    resources.resource_id
from resources
left join machines
    on resources.resource_id = machines.resource_id and resources.channel is not distinct from machines.channel
left join campaigns on resources.resource_type = 'campaign' and resources.resource_id = campaigns.campaign_id
left join user_journeys
    on resources.resource_type = 'user-journey' and resources.resource_id = user_journeys.user_journey_id
order by resources.sent desc nulls last, resources.resource_id, resources.channel;
