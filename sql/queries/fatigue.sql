-- title: Fatigue by campaign
-- title_ko: 캠페인별 피로도
-- chart: line messages_before same_day_rate by resource_name
-- subject: people
-- question: Do people click a campaign less after many messages in the days before?
-- question_ko: 최근에 메시지를 많이 받은 고객일수록 캠페인을 덜 클릭하나요?
-- words: ad fatigue, message fatigue, click less, tired, as people get more messages, 피로, 피로도
-- also: people exports
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   window_days (bigint, default 28, one of 7 28): days before a message in which earlier messages to the person count
--   channel (varchar, default null): only this channel, such as push-notification
--   campaign (varchar, default null): only the campaign or user journey with this id
-- given:
--   largest as (select resource_id, channel from answer where trend is not null group by all order by sum(messages) desc, resource_id
--   limit 1), steps as (select *, row_number() over (order by rowid) as place, row_number() over (order by rowid desc) as
--   place_from_end from answer semi join largest using (resource_id, channel) where messages >= 100), ends as (select
--   few.resource_name, few.channel, few.trend, few.messages_before as few, replace(many.messages_before, '+', ' or more') as many_en,
--   replace(many.messages_before, '+', '건 이상') || if(many.messages_before like '%+', '', '건') as many_ko, few.same_day_rate as
--   few_rate, many.same_day_rate as many_rate from steps as few, steps as many where few.place = 1 and many.place_from_end = 1 and
--   many.place > 1)
-- sentences:
--   select *, if(trend = 'falling', 'fewer', 'more') as way_en, if(trend = 'falling', '낮습니다', '높습니다') as way_ko from ends
--   where (trend = 'falling' and many_rate < few_rate) or (trend = 'rising' and many_rate > few_rate)
--     en: The more messages people got before “{resource_name}” ({channel}), the {way_en} clicked. Among people messaged on the same days,
--       {few_rate} clicked after {few} messages and {many_rate} after {many_en}.
--     ko: ‘{resource_name}’({channel}){은/는} 그 전에 메시지를 많이 받은 사람일수록 클릭률이 {way_ko}. 같은 날 받은 사람끼리 비교하면 {few}건 받은 사람은 {few_rate}, {many_ko} 받은
--       사람은 {many_rate}입니다.
--   from ends where trend = 'steady'
--     en: The number of earlier messages makes no significant difference to clicks on “{resource_name}” ({channel}).
--     ko: ‘{resource_name}’({channel})에서는 그 전에 받은 메시지 수에 따른 클릭률 차이가 유의미하지 않습니다.
--   select any_value(days_held) as days_held, any_value(days_needed) as days_needed from answer having any_value(days_held) <
--   any_value(days_needed)
--     en: Only {days_held} of the {days_needed} days needed have events. Messages on the other days are not counted, so no trend is
--       shown.
--     ko: 필요한 {days_needed}일 중 이벤트 데이터가 있는 날은 {days_held}일입니다. 그 전에 받은 메시지 수가 실제보다 적게 집계되므로 추세는 표시하지 않습니다.
--     as: note

with params as (
    select *, coalesce(getvariable('window_days')::bigint, 28) as length
    from marts.period('events', days := 28)
),
held as (
    select count(*) as days_held, any_value(params.length + (params.last_date - params.first_date) + 1) as days_needed
    from ops.coverage
    cross join params
    where stream = 'events' and date between first_date - params.length::integer and last_date
),
readers as (
    select
        daily_fatigue.channel,
        coalesce(daily_fatigue.campaign_id, daily_fatigue.user_journey_id) as resource_id,
        coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
        daily_fatigue.at_least,
        daily_fatigue.sent_date as date,
        daily_fatigue.messages,
        daily_fatigue.clicked
    from marts.daily_fatigue
    inner join params
        on
            daily_fatigue.date between params.first_date and params.last_date
            and daily_fatigue.window_days = params.length
    -- Channels that do not count clicks are left out.
    inner join marts.channel_counters
        on daily_fatigue.channel = channel_counters.channel and channel_counters.counts_clicks
    left join campaigns on daily_fatigue.campaign_id = campaigns.campaign_id
    left join user_journeys on daily_fatigue.user_journey_id = user_journeys.user_journey_id
    where
        marts.matches('channel', daily_fatigue.channel)
        and marts.matches('campaign', coalesce(daily_fatigue.campaign_id, daily_fatigue.user_journey_id))
),
-- A click counts for the day on which its message was sent.
ranked as (
    select *, dense_rank() over (partition by resource_id, channel order by at_least) as step
    from readers
),
cells as (
    select resource_id, channel, date, step, sum(messages) as messages, sum(clicked) as clicked
    from ranked
    group by all
),
rates as (
    select *, sum(clicked) over day_of_campaign / nullif(sum(messages) over day_of_campaign, 0) as day_rate
    from cells
    window day_of_campaign as (partition by resource_id, channel, date)
),
-- The trend over the groups, within days (extended Mantel test), so that days with many clicks do not look like an effect of few
-- messages.
day_trends as (
    select
        resource_id,
        channel,
        sum(step * (clicked - messages * day_rate)) as excess,
        any_value(day_rate) * (1 - any_value(day_rate))
        * (sum(messages * step * step) - pow(sum(messages * step), 2) / nullif(sum(messages), 0)) as variance
    from rates
    group by resource_id, channel, date
),
trends as (
    select
        resource_id,
        channel,
        -- This variance does not exist if messages are clicked several times each.
        if(min(variance) >= 0 and sum(variance) > 0, sum(excess) / sqrt(sum(variance)), null) as z
    from day_trends
    group by resource_id, channel
),
expected as (
    select resource_id, channel, step, sum(messages * day_rate) as clicks, sum(clicked) as clicked
    from rates
    where day_rate is not null
    group by all
),
steps as (
    select
        resource_id,
        channel,
        step,
        any_value(resource_name) as resource_name,
        any_value(at_least) as at_least,
        sum(messages)::bigint as messages,
        sum(clicked)::bigint as clicked
    from ranked
    group by resource_id, channel, step
)
select
    steps.resource_name,
    steps.channel,
    marts.message_step_name(steps.at_least) as messages_before,
    steps.messages,
    round(steps.clicked / nullif(steps.messages, 0), 6) as click_rate,
    round(
        sum(steps.clicked) over campaign / nullif(sum(steps.messages) over campaign, 0) * expected.clicked / nullif(expected.clicks, 0), 6
    ) as same_day_rate,
    steps.clicked,
    -- On days without events, messages are unknown, so people would seem to have got fewer.
    if(held.days_held < held.days_needed, null, marts.trend_by_deviations(trends.z)) as trend,
    held.days_held,
    held.days_needed,
    steps.resource_id
from steps
cross join held
left join expected using (resource_id, channel, step)
left join trends using (resource_id, channel)
window campaign as (partition by steps.resource_id, steps.channel)
order by sum(steps.messages) over campaign desc, steps.resource_id, steps.channel, steps.at_least;
