-- title: Conversions by sub-channel
-- question: Which sub-channels and targets bring conversions?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';
-- example:
--   channel           channel_sub  brand_message_target  conversion_name  type_label    conversions  …
--   chatapp-alimtalk                                     구독 갱신        전체 전환 수  25           …
--   chatapp-alimtalk                                     구독 갱신        직접 전환 수  0            …
--   chatapp-alimtalk                                     구매 완료        전체 전환 수  12           …

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('channel')::varchar as only_channel
    from ops.coverage
    where stream = 'statistics_by_subchannel'
)
-- Types are labels in the language of the service's console; one conversion may be counted under several.
select
    conversions_by_subchannel.channel,
    conversions_by_subchannel.channel_sub,
    conversions_by_subchannel.brand_message_target,
    conversions_by_subchannel.conversion_name,
    conversions_by_subchannel.type_label,
    sum(conversions_by_subchannel.conversions)::bigint as conversions,
    count(distinct conversions_by_subchannel.resource_id) filter (
        conversions_by_subchannel.conversions > 0
    ) as campaigns_and_journeys
from marts.conversions_by_subchannel
inner join params on conversions_by_subchannel.date between params.first_day and params.last_day
where params.only_channel is null or conversions_by_subchannel.channel = params.only_channel
group by
    conversions_by_subchannel.channel,
    conversions_by_subchannel.channel_sub,
    conversions_by_subchannel.brand_message_target,
    conversions_by_subchannel.conversion_name,
    conversions_by_subchannel.type_label
order by
    conversions_by_subchannel.channel,
    conversions_by_subchannel.channel_sub,
    conversions_by_subchannel.brand_message_target,
    conversions_by_subchannel.conversion_name,
    conversions_by_subchannel.type_label;
