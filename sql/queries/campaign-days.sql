-- title: A campaign by day
-- question: How did each campaign do from day to day?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of the one campaign to look at
--   channel (varchar, default null): only this channel, such as push-notification
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   date        campaign_name     channel                sent  failed  succeeded  delivered  clicked  conversions  …
--   2026-10-24  11월 재구매 유도  push-notification      0     0       0          0          8                     …
--   2026-10-24  가격 인하 알림    web-push-notification  51    2       49         47         2        1            …
--   2026-10-24  결제 실패 안내    text-message           20    0       20                             0            …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('campaign')::varchar as only_campaign,
        getvariable('channel')::varchar as only_channel
    from ops.coverage
    where stream = 'statistics'
)
select
    campaign_days.date,
    campaign_days.campaign_name,
    campaign_days.channel,
    campaign_days.sent,
    campaign_days.failed,
    campaign_days.succeeded,
    campaign_days.delivered,
    campaign_days.clicked,
    campaign_days.conversions,
    campaign_days.direct_conversions,
    round(campaign_days.failure_rate, 4) as failure_rate,
    round(campaign_days.delivery_rate, 4) as delivery_rate,
    round(campaign_days.click_rate, 4) as click_rate,
    round(campaign_days.conversion_rate, 4) as conversion_rate,
    campaign_days.campaign_id
from marts.campaign_days
inner join params on campaign_days.date between params.first_day and params.last_day
where
    (params.only_campaign is null or campaign_days.campaign_id = params.only_campaign)
    and (params.only_channel is null or campaign_days.channel = params.only_channel)
order by campaign_days.date, campaign_days.campaign_name, campaign_days.channel, campaign_days.campaign_id;
