-- title: Time to delivery and click
-- question: How long after sending are people reached, and how long until they click?
-- params:
--   channel (varchar, default null): only this channel, such as push-notification
--   response (varchar, default null, one of delivered clicked): only this kind of response
-- In other DuckDB clients, set parameters before: set variable response = 'clicked';
-- example:
--   channel  resource_name          response  responses  p50_seconds  p90_seconds  p99_seconds  …
--   email    겨울 신상 룩북         clicked   29         27470.3      38796        41500.6      …
--   email    신규 회원 온보딩       clicked   26         19379.8      24246        25340.9      …
--   email    주간 베스트 상품 레터  clicked   23         30998.1      39026.8      42108.4      …

with params as (
    select
        getvariable('channel')::varchar as only_channel,
        getvariable('response')::varchar as only_response
)
select
    response_times.channel,
    response_times.resource_name,
    response_times.response,
    response_times.responses,
    round(response_times.p50_seconds, 1) as p50_seconds,
    round(response_times.p90_seconds, 1) as p90_seconds,
    round(response_times.p99_seconds, 1) as p99_seconds,
    round(response_times.share_within_minute, 4) as share_within_minute,
    round(response_times.share_within_hour, 4) as share_within_hour,
    round(response_times.share_within_day, 4) as share_within_day,
    coalesce(response_times.campaign_id, response_times.user_journey_id) as resource_id
from marts.response_times
cross join params
where
    (params.only_channel is null or response_times.channel = params.only_channel)
    and (params.only_response is null or response_times.response = params.only_response)
order by response_times.channel, response_times.response, response_times.responses desc, resource_id;
