-- title: Campaigns and user journeys over a range
-- title_ko: 캠페인·유저 여정 기간 성과
-- chart: bar resource_name sent by channel
-- subject: campaigns
-- question: What did each campaign and user journey send, on which channel, how did people respond, and which did best?
-- question_ko: 캠페인·유저 여정별로 어느 채널에 얼마나 보냈고, 성과가 가장 좋은 것은 무엇인가요?
-- words: ctr, click rate, click-through rate, 클릭률, 클릭율, 클릭 비율, best campaign, 캠페인 성과, 성과 순위, 1위
-- also: people excluded
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   measure (varchar, default 'sent', one of sent delivered clicked click_rate conversions conversion_rate): what to rank by
--   top (bigint, default null): at most this many ranks; ties share a rank
--   least_messages (bigint, default 100, from 0): for ranks by a rate, minimum number of messages per row
--   channel (varchar, default null): only this channel, such as push-notification
--   tag (varchar, default null): only campaigns with this tag
--   goal (varchar, default null): the conversion that counts; by default the main goal of each campaign and user journey
-- sentences:
--   select coalesce(any_value(resource_name), resource_id) as resource_name, sum(sent) as sent, (select sum(sent) from answer) as of_all
--   from answer where getvariable('top') is null group by resource_type, resource_id having sum(sent) > 0
--   qualify rank() over (order by sum(sent)) = count(*) over () and resource_id is not null
--     en: “{resource_name}” sent the most: {sent} of {of_all} messages.
--     ko: 발송은 ‘{resource_name}’{이/가} 가장 많습니다(전체 {of_all}건 중 {sent}건).
--   from answer where rank = 1 and clicked > 0 and click_rate is not null and getvariable('measure')::varchar = 'clicked' limit 1
--     en: “{resource_name}” got the most clicks: {clicked} (click rate {click_rate}).
--     ko: 클릭은 ‘{resource_name}’{이/가} 가장 많습니다({clicked}건, 클릭률 {click_rate}).
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
-- A high rate of a few messages may be due to chance, so rates are ranked by the lower end of their 95% interval (Wilson's), with
-- at most one success per message. Unknown values, and rates of fewer than least_messages messages, have no rank.
measured as (
    select
        resources.*,
        params.top,
        case params.measure when 'click_rate' then clickable when 'conversion_rate' then convertible end::double as messages,
        greatest(0, least(messages, if(params.measure = 'click_rate', clicked, conversions))) as successes,
        case
            when params.measure = 'sent' then sent
            when params.measure = 'delivered' then delivered
            when params.measure = 'clicked' then clicked
            when params.measure = 'conversions' then conversions
            when messages >= params.least_messages then marts.wilson_interval(successes, nullif(messages, 0)).low
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
    if(measured.score is null, null, rank() over (order by measured.score desc nulls last)) as rank,
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
