-- title: A/B tests by day
-- question: How did the variants of each A/B test do from day to day?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of the one campaign to look at
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   date        campaign_name     variant_name  channel            sent  failed  succeeded  delivered  clicked  …
--   2026-10-24  11월 재구매 유도  A             push-notification  0     0       0          0          4        …
--   2026-10-24  11월 재구매 유도  B             push-notification  0     0       0          0          4        …
--   2026-10-24  리뷰 작성 요청    A             in-app-message     29    0       29         17         2        …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('campaign')::varchar as only_campaign
    from ops.coverage
    where stream = 'statistics'
)
select
    variant_days.date,
    variant_days.campaign_name,
    variant_days.variant_name,
    variant_days.channel,
    variant_days.sent,
    variant_days.failed,
    variant_days.succeeded,
    variant_days.delivered,
    variant_days.clicked,
    variant_days.conversions,
    variant_days.direct_conversions,
    round(variant_days.failure_rate, 4) as failure_rate,
    round(variant_days.delivery_rate, 4) as delivery_rate,
    round(variant_days.click_rate, 4) as click_rate,
    round(variant_days.conversion_rate, 4) as conversion_rate,
    variant_days.campaign_id,
    variant_days.variant_id
from marts.variant_days
inner join params on variant_days.date between params.first_day and params.last_day
where params.only_campaign is null or variant_days.campaign_id = params.only_campaign
order by variant_days.date, variant_days.campaign_id, variant_days.variant_name, variant_days.channel;
