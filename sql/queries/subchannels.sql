-- title: Sub-channels and targets
-- title_ko: 하위 채널과 타깃
-- chart: bar channel_sub sent by channel
-- subject: overview
-- question: How do sub-channels compare, such as SMS with LMS, or the targets of brand messages?
-- question_ko: SMS와 LMS, 브랜드 메시지 타깃 등 하위 채널의 성과는 어떤가요?
-- words: SMS, LMS, MMS, 단문, 장문, 비중
-- also: excluded first_day
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
-- sentences:
--   select channel, channel_sub, sum(sent) as sent, (select sum(sent) from answer where channel_sub is not null) as of_all from
--   answer where channel_sub is not null group by channel, channel_sub having sum(sent) > 0 order by sent desc limit 1
--     en: {channel_sub} ({channel}) sent the most messages: {sent} of the {of_all} with a sub-channel.
--     ko: 하위 채널별로는 {channel} {channel_sub}{이/가} 가장 많습니다({of_all}건 중 {sent}건).

with period as (from marts.period('statistics_by_subchannel', days := 28)),
-- Conversions by sub-channel have localized labels from the service's console as types, which do not match the main goals.
statistics as (
    select
        statistics.channel,
        statistics.channel_sub,
        statistics.brand_message_target,
        statistics.resource_id,
        statistics.message_sent as sent,
        statistics.message_failed as failed,
        if(
            statistics.message_failed > statistics.message_sent, null, statistics.message_sent - statistics.message_failed
        ) as succeeded,
        statistics.delivered,
        statistics.click as clicked,
        case when statistics.delivered is not null and not marts.is_display(statistics.channel) then succeeded end as deliverable,
        case
            when statistics.click is not null
                then marts.clickable_messages(statistics.channel, succeeded, statistics.delivered)
        end as clickable,
        null::bigint as conversions,
        null::bigint as direct_conversions,
        null::bigint as convertible,
        null::varchar[] as goals
    from daily_statistics_by_subchannel as statistics
    inner join period on statistics.date between period.first_date and period.last_date
    where marts.matches('channel', statistics.channel)
),
subchannels as (
    select
        channel,
        channel_sub,
        brand_message_target,
        count(distinct resource_id) as campaigns_and_journeys,
        unnest(marts.performance(statistics))
    from statistics
    group by channel, channel_sub, brand_message_target
)
select
    channel,
    channel_sub,
    brand_message_target,
    sent,
    clicked,
    round(failure_rate, 6) as failure_rate,
    round(delivery_rate, 6) as delivery_rate,
    round(click_rate, 6) as click_rate,
    failed,
    delivered,
    campaigns_and_journeys
from subchannels
order by channel, channel_sub, brand_message_target;
