-- title: Campaigns and user journeys over a range
-- question: What did each campaign and user journey send, on which channel, and how did people respond?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
--   tag (varchar, default null): only campaigns with this tag
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   resource_name       channel            sent  failed  delivered  clicked  conversions  failure_rate  …
--   11월 재구매 유도    push-notification  5094  152     4534       270      180          0.0298        …
--   장바구니 이탈 알림  push-notification  4734  145     4250       188      115          0.0306        …
--   주문 완료 안내      chatapp-alimtalk   3162  126                                      0.0398        …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel,
        getvariable('tag')::varchar as only_tag
    from ops.coverage
    where stream = 'statistics'
),
resources as (
    select
        message_days.resource_type,
        message_days.resource_id,
        -- A name may change; the newest one is what people know it by.
        arg_max(message_days.resource_name, (message_days.date, message_days.statistic_id)) as resource_name,
        message_days.channel,
        min(message_days.date) as first_date,
        max(message_days.date) as last_date,
        sum(message_days.sent)::bigint as sent,
        sum(message_days.failed)::bigint as failed,
        sum(message_days.succeeded)::bigint as succeeded,
        sum(message_days.delivered)::bigint as delivered,
        sum(message_days.clicked)::bigint as clicked,
        sum(message_days.conversions)::bigint as conversions,
        sum(message_days.direct_conversions)::bigint as direct_conversions,
        -- A rate leaves out the messages that nobody counted deliveries, or clicks, of.
        sum(message_days.deliverable) as deliverable,
        sum(message_days.clickable) as clickable
    from marts.message_days
    inner join params on message_days.date between params.first_day and params.last_day
    where
        (params.only_channel is null or message_days.channel = params.only_channel)
        and (params.only_tag is null or list_contains(message_days.tags, params.only_tag))
    group by message_days.resource_type, message_days.resource_id, message_days.channel
)
select
    resource_name,
    channel,
    sent,
    failed,
    delivered,
    clicked,
    conversions,
    round(failed / nullif(sent, 0), 4) as failure_rate,
    round(delivered / nullif(deliverable, 0), 4) as delivery_rate,
    round(clicked / nullif(clickable, 0), 4) as click_rate,
    round(conversions / nullif(succeeded, 0), 4) as conversion_rate,
    direct_conversions,
    first_date,
    last_date,
    resource_type,
    resource_id
from resources
order by sent desc nulls last, resource_id, channel;
