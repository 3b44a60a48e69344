-- title: Campaigns and user journeys over a range
-- title_ko: 캠페인·유저 여정 기간 성과
-- chart: bar resource_name sent by channel
-- subject: campaigns
-- question: What did each campaign and user journey send, on which channel, how did people respond, and which did best or worst?
-- question_ko: 캠페인·유저 여정별로 어느 채널에 얼마나 보냈고, 성과가 가장 좋거나 나쁜 것은 무엇인가요?
-- words: campaign results, results of a campaign, sent delivered clicked converted, 캠페인 결과, ctr, click rate, click-through rate, 클릭률, 클릭율, 클릭 비율, best campaign, worst campaigns, performed worst, worst performing campaigns, 성과 나쁜 캠페인, 성과가 나쁜, 꼴찌, 캠페인 성과, 성과 순위, 1위, worst campaign, lowest click rate, poor campaigns, email performance, top campaigns, 클릭률 낮은, 잘 된 캠페인
-- also: people excluded first_day
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   measure (varchar, default 'sent', one of sent delivered clicked click_rate conversions conversion_rate): what to rank by
--   order (varchar, default 'best', one of best worst): whether the highest or the lowest values rank first
--   top (bigint, default null): at most this many ranks; ties share a rank
--   least_messages (bigint, default 100, from 0): for ranks by a rate, minimum number of messages per row
--   channel (varchar, default null): only this channel, such as push-notification
--   tag (varchar, default null): only campaigns with this tag
--   goal (varchar, default null): the conversion that counts; by default the main goal of each campaign and user journey
-- sentences:
--   select coalesce(any_value(resource_name), resource_id) as resource_name, sum(sent) as sent, (select sum(sent) from answer) as of_all
--   from answer where getvariable('top') is null and coalesce(getvariable('measure')::varchar, 'sent') = 'sent' and
--   coalesce(getvariable('order')::varchar, 'best') = 'best' group by resource_type, resource_id having sum(sent) > 0
--   qualify rank() over (order by sum(sent)) = count(*) over () and resource_id is not null
--     en: “{resource_name}” sent the most: {sent} of {of_all} messages.
--     ko: 발송은 ‘{resource_name}’{이/가} 가장 많습니다(전체 {of_all}건 중 {sent}건).
--   select resource_name, channel, chosen, words.en as measure_en, words.ko as measure_ko, if(is_worst, ', lowest first', '') as which_en, if(is_worst, '낮은 순 ', '') as
--   which_ko, case chosen when 'delivered' then delivered when 'clicked' then clicked when 'conversions' then conversions when 'sent' then sent end as number, case chosen
--   when 'click_rate' then click_rate when 'conversion_rate' then conversion_rate end as rate from answer, (select coalesce(getvariable('measure')::varchar, 'sent') as chosen,
--   coalesce(getvariable('order')::varchar, 'best') = 'worst' as is_worst, map {'sent': {'en': 'number of messages sent', 'ko': '발송 건수'}, 'delivered': {'en': 'number of
--   deliveries', 'ko': '도달 건수'}, 'clicked': {'en': 'number of clicks', 'ko': '클릭 건수'}, 'click_rate': {'en': 'click rate', 'ko': '클릭률'}, 'conversions': {'en': 'number of
--   conversions', 'ko': '전환 건수'}, 'conversion_rate': {'en': 'conversion rate', 'ko': '전환율'}}[chosen] as words) where rank = 1 and resource_name is not null and (chosen <> 'sent' or
--   is_worst or getvariable('top') is not null) qualify count(*) over () = 1 and coalesce(number, rate) is not null
--     en: “{resource_name}” ({channel}) ranks first by {measure_en}{which_en}[[: {number}]][[: {rate}]].
--     ko: {measure_ko} {which_ko}1위는 ‘{resource_name}’({channel})입니다[[({number}건)]][[({rate})]].
--   select count(*) as tied, coalesce(getvariable('order')::varchar, 'best') = 'worst' as is_worst from answer where rank = 1 and (coalesce(getvariable('measure')::varchar,
--   'sent') <> 'sent' or getvariable('top') is not null or coalesce(getvariable('order')::varchar, 'best') = 'worst') having tied > 1
--     en: {tied} rows share the first rank.
--     ko: 공동 1위가 {tied}개 있습니다.
--   select 1 from answer where rank is not null and getvariable('measure')::varchar like '%rate' having count(*) > 1
--     en: Rates rank by the lower end of their 95% interval, or the upper end if the lowest come first. So a few messages cannot rank first by chance.
--     ko: 비율의 순위는 95% 신뢰 구간의 하한(낮은 순이면 상한)으로 정합니다. 메시지가 적은 캠페인이 우연히 1위가 되는 일을 막기 위해서입니다.
--     as: note
--   select 1 where not exists (from answer)
--     en: No matching campaign or user journey sent messages on the available days.
--     ko: 데이터가 있는 날짜에 조건에 맞는 캠페인이나 유저 여정의 발송이 없습니다.
--   select 1 from answer where channel = 'email' and clicked > 0 limit 1
--     en: E-mail clicks in daily statistics include clicks of mail scanners. machine_click_share and human_click_rate are computed
--       from events.
--     ko: 일별 통계의 이메일 클릭에는 메일 보안 솔루션의 자동 클릭이 포함됩니다. 자동 클릭 비율과 자동 클릭 제외 클릭률은 이벤트로 계산합니다.
--     as: note

with params as (
    select
        *,
        marts.choice(
            'measure', ['sent', 'delivered', 'clicked', 'click_rate', 'conversions', 'conversion_rate']
        ) as measure,
        marts.choice('order', ['best', 'worst']) = 'worst' as is_worst,
        getvariable('top')::bigint as top,
        coalesce(getvariable('least_messages')::bigint, 100) as least_messages
    from marts.period('statistics', days := 28)
),
resources as (
    select
        message_days.resource_type,
        message_days.resource_id,
        message_days.channel,
        min(message_days.date) as first_date,
        max(message_days.date) as last_date,
        unnest(marts.performance(message_days))
    from marts.message_days
    inner join params on message_days.date between params.first_date and params.last_date
    where
        marts.matches('channel', message_days.channel)
        and (getvariable('tag') is null or list_contains(message_days.tags, getvariable('tag')::varchar))
    group by message_days.resource_type, message_days.resource_id, message_days.channel
),
-- A high rate of a few messages may be due to chance, so rates are ranked by the lower end of their 95% interval (Wilson's), or for
-- the worst by the upper end, with at most one success per message. Unknown values, and rates of fewer than least_messages messages,
-- have no rank.
measured as (
    select
        resources.*,
        params.top,
        params.is_worst,
        case params.measure when 'click_rate' then clickable when 'conversion_rate' then convertible end::double as messages,
        greatest(0, least(messages, if(params.measure = 'click_rate', clicked, conversions))) as successes,
        marts.wilson_interval(successes, nullif(messages, 0)) as interval_of_rate,
        case
            when params.measure = 'sent' then sent
            when params.measure = 'delivered' then delivered
            when params.measure = 'clicked' then clicked
            when params.measure = 'conversions' then conversions
            when messages >= params.least_messages then if(params.is_worst, struct_extract(interval_of_rate, 'high'), struct_extract(interval_of_rate, 'low'))
        end as score
    from resources
    cross join params
),
-- machine_click_share is about clicks whose message is in the events.
machines as (
    select
        coalesce(times.campaign_id, times.user_journey_id) as resource_id,
        times.channel,
        sum(times.machine_clicks) / sum(times.responses + times.machine_clicks) as machine_click_share
    from marts.daily_response_times as times
    inner join params on times.date between params.first_date and params.last_date
    where times.response = 'clicked'
    group by all
)
select
    if(measured.score is null, null, rank() over (order by if(measured.is_worst, -measured.score, measured.score) desc nulls last)) as rank,
    -- Names may change, so the latest one is shown.
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    measured.channel,
    measured.sent,
    measured.clicked,
    measured.conversions,
    round(measured.failure_rate, 6) as failure_rate,
    round(measured.click_rate, 6) as click_rate,
    round(measured.conversion_rate, 6) as conversion_rate,
    round(machines.machine_click_share, 6) as machine_click_share,
    round(measured.click_rate * (1 - machines.machine_click_share), 6) as human_click_rate,
    measured.goals[1] as goal,
    measured.failed,
    measured.delivered,
    round(measured.delivery_rate, 6) as delivery_rate,
    measured.direct_conversions,
    measured.first_date,
    measured.last_date,
    measured.resource_type,
    measured.resource_id
from measured
left join machines
    on measured.resource_id = machines.resource_id and measured.channel is not distinct from machines.channel
left join campaigns on measured.resource_type = 'campaign' and measured.resource_id = campaigns.campaign_id
left join user_journeys
    on measured.resource_type = 'user-journey' and measured.resource_id = user_journeys.user_journey_id
qualify measured.top is null or rank <= measured.top
order by rank, measured.sent desc nulls last, measured.resource_id, measured.channel;
