-- title: Campaigns over their lifetime
-- subject: campaigns
-- question: How did each campaign do in all, and is it getting better or worse?
-- params:
--   channel (varchar, default null): only this channel, such as push-notification
--   tag (varchar, default null): only campaigns with this tag
--   goal (varchar, default null): the conversion that counts; unless given, the main goal of each campaign
-- In other DuckDB clients, set parameters before: set variable tag = 'sale';
-- sentences:
--   select count(*) filter (click_rate_change > 0) as better, count(*) filter (click_rate_change < 0) as worse from answer
--   having better + worse > 0
--     en: Against the 28 days before, the click rate of {better} {better#campaign|campaigns} rose in the last 28 days, and that of {worse} fell, each channel by itself.
--     ko: 이전 28일과 비교해 최근 28일의 클릭률이 오른 캠페인은 {better}개, 내린 캠페인은 {worse}개입니다(채널별로 집계).
--   select 1 from answer having count(click_rate_change) > 0
--     en: Small changes may be chance; `campaigns-to-watch` names those that are not.
--     ko: 작은 변화는 우연일 수 있습니다. 우연으로 보기 어려운 변화는 `campaigns-to-watch`에 나옵니다.
--     as: note
--   select max(recent_days_missing + previous_days_missing) as missing from answer having missing > 0
--     en: Of the 56 days that are compared {missing} {missing#is|are} missing, so no change is shown.
--     ko: 비교할 56일 중 {missing}일의 데이터가 없어 변화를 표시하지 않습니다.
--     as: note
--   select 1 from answer where channel = 'email' and click_rate > 0 limit 1
--     en: Daily statistics count the clicks that mail scanners make on e-mails, and cannot be cleaned of them; events can.
--     ko: 일별 통계의 이메일 클릭에는 메일 검사기의 클릭이 포함되어 있으며 가려낼 수 없습니다. 이벤트에서는 가려낼 수 있습니다.
--     as: note
-- example:
--   campaign_name       channel            sent   click_rate  conversion_rate  goal       recent_sent  sent_change  …
--   11월 재구매 유도    push-notification  10292  0.0532      0.0249           구매 완료  5094         -0.02        …
--   장바구니 이탈 알림  push-notification  9648   0.0409      0.0165           구매 완료  4734         -0.0366      …
--   주문 완료 안내      chatapp-alimtalk   6282                                           3162         0.0135       …

-- The changes compare the last 28 days with the 28 before. They are null unless all 56 days are held.
select
    campaign_lifetimes.campaign_name,
    campaign_lifetimes.channel,
    campaign_lifetimes.sent,
    round(campaign_lifetimes.click_rate, 4) as click_rate,
    round(campaign_lifetimes.conversion_rate, 4) as conversion_rate,
    campaign_lifetimes.goals[1] as goal,
    campaign_lifetimes.recent_sent,
    round(campaign_lifetimes.sent_change, 4) as sent_change,
    round(campaign_lifetimes.click_rate_change, 4) as click_rate_change,
    round(campaign_lifetimes.conversion_rate_change, 4) as conversion_rate_change,
    round(campaign_lifetimes.failure_rate, 4) as failure_rate,
    campaign_lifetimes.previous_sent,
    campaign_lifetimes.recent_days_missing,
    campaign_lifetimes.previous_days_missing,
    campaign_lifetimes.first_sent_date,
    campaign_lifetimes.last_sent_date,
    campaign_lifetimes.days_sent,
    campaign_lifetimes.campaign_id
from marts.campaign_lifetimes
where
    marts.matches('channel', campaign_lifetimes.channel)
    and (getvariable('tag') is null or list_contains(campaign_lifetimes.tags, getvariable('tag')::varchar))
order by campaign_lifetimes.sent desc nulls last, campaign_lifetimes.campaign_id, campaign_lifetimes.channel;
