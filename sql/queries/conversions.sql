-- title: Conversions
-- title_ko: 전환
-- chart: bar conversion_name conversions by channel
-- subject: conversions and costs
-- question: Which conversions did the messages bring, by name and channel?
-- question_ko: 메시지로 어떤 전환이 채널별로 얼마나 발생했나요?
-- words: 캠페인별 전환율, journey conversion, by goal, 목표별 전환, conversion rate, cvr, 전환율, 전환률
-- also: excluded
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   campaign (varchar, default null): only the campaign with this id
--   channel (varchar, default null): only this channel, such as push-notification
--   goal (varchar, default null): only the conversion with this name
--   tag (varchar, default null): only campaigns with this tag, such as 쿠폰 for coupons
-- sentences:
--   select conversion_name, sum(conversions) as conversions from answer where getvariable('goal') is null group by conversion_name
--   having sum(conversions) > 0 qualify rank() over (order by sum(conversions)) = count(*) over ()
--     en: The most frequent conversion is “{conversion_name}”: {conversions}.
--     ko: 전환은 ‘{conversion_name}’{이/가} 가장 많습니다({conversions}건).
--   with most as (select conversion_name, sum(conversions) as of_all from answer group by conversion_name order by 2 desc, 1 limit 1)
--   select conversion_name, channel, conversions, of_all from answer inner join most using (conversion_name) where conversions > 0
--   qualify count(*) over () > 1 order by conversions desc, channel limit 1
--     en: {channel} brought the most: {conversions} of {of_all} “{conversion_name}” conversions.
--     ko: ‘{conversion_name}’ 전환은 {channel} 채널에서 가장 많이 발생했습니다({of_all}건 중 {conversions}건).
--   select 1 where not exists (from answer)
--     en: No conversions on these days.
--     ko: 이 기간에는 전환이 없습니다.

with period as (from marts.period('statistics', days := 28))
-- Direct conversions are included in the conversions, so don't add them up.
select
    conversions.conversion_name,
    conversions.channel,
    sum(conversions.conversions)::bigint as conversions,
    sum(conversions.direct_conversions)::bigint as direct_conversions,
    count(distinct conversions.resource_id) filter (conversions.conversions > 0) as campaigns_and_journeys,
    min(conversions.date) filter (conversions.conversions > 0) as first_date,
    max(conversions.date) filter (conversions.conversions > 0) as last_date
from marts.conversions
inner join period on conversions.date between period.first_date and period.last_date
where
    marts.matches('campaign', conversions.resource_id)
    and marts.matches('channel', conversions.channel)
    and marts.matches('goal', conversions.conversion_name)
    and (
        getvariable('tag') is null
        or conversions.statistic_id in (
            select daily_statistics.statistic_id
            from daily_statistics
            where list_contains(daily_statistics.tags, getvariable('tag')::varchar)
        )
    )
group by conversions.conversion_name, conversions.channel
order by conversions.conversion_name, conversions.channel;
