-- title: Campaigns and user journeys by day
-- title_ko: 캠페인·유저 여정 일별 성과
-- chart: line date sent by resource_name
-- subject: campaigns
-- question: How did each campaign and user journey, or each of their variants and nodes, perform from day to day?
-- question_ko: 캠페인·유저 여정이나 그 테스트안·단계의 일별 성과는 어떤가요?
-- also: scanned_mail excluded first_day
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   by (varchar, default 'resource', one of resource variant_or_node): a row for each campaign and user journey, or for each variant of A/B tests and node of user journeys
--   campaign (varchar, default null): only the campaign with this id
--   journey (varchar, default null): only the user journey with this id
--   channel (varchar, default null): only this channel, such as push-notification
--   goal (varchar, default null): the conversion that counts; by default the main goal of each campaign and user journey
-- sentences:
--   select resource_name, sum(sent) as sent, count(distinct date) as days from answer where coalesce(getvariable('campaign'), getvariable('journey')) is
--   null group by resource_type, resource_id, resource_name having sum(sent) > 0 qualify rank() over (order by sum(sent)) = count(*) over ()
--     en: “{resource_name}” sent the most messages: {sent} on {days} {days#day|days}.
--     ko: 이 기간에는 ‘{resource_name}’{을/를} 가장 많이 발송했습니다({days}일 동안 {sent}건).
--   select resource_name, sum(sent) as sent, sum(clicked) as clicked, min(date) as first_date, max(date) as last_date from answer
--   where coalesce(getvariable('campaign'), getvariable('journey')) is not null group by resource_name having sum(sent) > 0
--     en: “{resource_name}” sent {sent} {sent#message|messages} {first_date~last_date}[[ and got {clicked} {clicked#click|clicks}]].
--     ko: ‘{resource_name}’: {first_date~last_date} 발송 {sent}건[[, 클릭 {clicked}건]].
--   select goal, sum(conversions) as conversions from answer where coalesce(getvariable('campaign'), getvariable('journey')) is not
--   null and goal is not null group by goal having sum(conversions) > 0 order by 2 desc limit 1
--     en: “{goal}” was reached {conversions} {conversions#time|times}.
--     ko: ‘{goal}’ 전환은 {conversions}건입니다.
--   select 1 where not exists (from answer)
--     en: No matching campaign or user journey sent messages on the available days.
--     ko: 데이터가 있는 날짜에 조건에 맞는 캠페인이나 유저 여정의 발송이 없습니다.

with params as (
    select
        *,
        marts.choice('by', ['resource', 'variant_or_node']) = 'variant_or_node' as by_part
    from marts.period('statistics', days := 28)
),
days as (
    select
        message_days.*,
        if(params.by_part, coalesce(message_days.variant_id, message_days.user_journey_node_id), null) as part_id
    from marts.message_days
    inner join params on message_days.date between params.first_date and params.last_date
    where
        marts.matches('campaign', message_days.campaign_id)
        and marts.matches('journey', message_days.user_journey_id)
        and marts.matches('channel', message_days.channel)
        and (not params.by_part or part_id is not null)
),
performance as (
    select date, resource_type, resource_id, part_id, channel, unnest(marts.performance(days))
    from days
    group by date, resource_type, resource_id, part_id, channel
)
select
    performance.date,
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    coalesce(campaign_variants.variant_name, user_journey_nodes.user_journey_node_name) as variant_or_node,
    performance.channel,
    performance.sent,
    performance.clicked,
    round(performance.click_rate, 6) as click_rate,
    performance.conversions,
    round(performance.conversion_rate, 6) as conversion_rate,
    round(performance.failure_rate, 6) as failure_rate,
    round(performance.delivery_rate, 6) as delivery_rate,
    performance.failed,
    performance.succeeded,
    performance.delivered,
    performance.direct_conversions,
    performance.goals[1] as goal,
    performance.resource_type,
    performance.resource_id,
    performance.part_id as variant_or_node_id
from performance
left join campaigns on performance.resource_type = 'campaign' and performance.resource_id = campaigns.campaign_id
left join user_journeys
    on performance.resource_type = 'user-journey' and performance.resource_id = user_journeys.user_journey_id
left join campaign_variants
    on performance.resource_id = campaign_variants.campaign_id and performance.part_id = campaign_variants.variant_id
left join user_journey_nodes
    on
        performance.resource_id = user_journey_nodes.user_journey_id
        and performance.part_id = user_journey_nodes.user_journey_node_id
order by performance.date, resource_name, performance.channel, performance.resource_id, performance.part_id;
