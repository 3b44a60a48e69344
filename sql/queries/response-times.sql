-- title: Time to delivery, open and click
-- title_ko: 도달·오픈·클릭까지 걸린 시간
-- chart: bar resource_name p50_seconds by channel
-- subject: times
-- question: How long after sending are people reached, and how long until they first open and click?
-- question_ko: 발송 후 도달, 첫 오픈, 클릭까지 시간이 얼마나 걸리나요?
-- words: how fast, how quickly, time to open, time to first open, time to click, 얼마나 빨리, 빨리, 오픈까지 걸린 시간, 첫 오픈, time from click to purchase, time to purchase, time to conversion, after push, click to purchase, 구매까지 걸린 시간, 클릭 후 구매
-- also: people exports
-- params:
--   start (date, default min(date)): first KST day of the responses; by default the first available day
--   end (date, default max(date)): last KST day of the responses; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
--   response (varchar, default null, one of delivered opened clicked): only this kind of response
-- sentences:
--   from answer where response = 'clicked' and responses > 0 order by responses desc limit 1
--     en: Half of the clicks on “{resource_name}” ({channel}) come within {p50_seconds}.
--     ko: 클릭이 가장 많은 ‘{resource_name}’({channel}){은/는} 발송 후 {p50_seconds} 안에 클릭의 절반이 발생합니다.
--   select resource_name, channel, p50_seconds from answer where response = 'clicked' and responses >= 20 qualify count(*) over () >
--   1 and rank() over (order by p50_seconds) = count(*) over ()
--     en: Of those with at least 20 clicks, “{resource_name}” ({channel}) gets them most slowly: half of them within {p50_seconds}.
--     ko: 클릭이 20건 이상인 항목 중 ‘{resource_name}’({channel})의 클릭이 가장 늦어, 절반이 발생하는 데 {p50_seconds} 걸립니다.
--   from answer where response = 'opened' and responses > 0 order by responses desc limit 1
--     en: Half of the first opens of “{resource_name}” ({channel}) come within {p50_seconds}.
--     ko: ‘{resource_name}’({channel})의 첫 오픈 절반은 발송 후 {p50_seconds} 안에 발생합니다.
--   select channel, sum(machine_clicks)::bigint as machines, machines / sum(responses + machine_clicks) as rate from answer
--   where response = 'clicked' group by channel having machines > 0
--     en: Not counted: {machines} clicks of mail scanners. They are {rate} of the {channel} clicks that can be matched with a message.
--     ko: 메일 보안 솔루션의 자동 클릭 {machines}건은 제외했습니다. 발송 기록과 연결된 {channel} 클릭의 {rate}에 해당합니다.
--     as: note
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'events') and
--   marts.counts_people()
--     en: No deliveries or clicks on these days.
--     ko: 이 기간의 도달·클릭 기록이 없습니다.

with period as (from marts.period('events')),
-- The first open of each message, which is the person's last one from the same sender in the seven days before.
acts as (
    select
        events.channel,
        events.campaign_id,
        events.user_journey_id,
        coalesce(people.person, events.person) as person,
        hash(events.channel, events.campaign_id, events.user_journey_id, events.user_journey_node_id) as sender,
        events.kind,
        events.date,
        epoch_ms(events.occurred_at) as at
    from marts.event_people as events
    inner join period on events.date between period.first_date - 7 and period.last_date
    left join marts.people on events.person = people.weaker_id
    where
        events.kind in ('succeeded', 'opened')
        and events.channel in (select channel from marts.daily_events where kind = 'opened')
        and marts.matches('channel', events.channel)
        and marts.matches('response', 'opened')
),
opens as (
    select
        opened.channel,
        opened.campaign_id,
        opened.user_journey_id,
        min({'at': opened.at, 'date': opened.date}) as first,
        sends.at as sent_at
    from (from acts where kind = 'opened') as opened
    asof inner join (from acts where kind = 'succeeded') as sends
        on opened.person = sends.person and opened.sender = sends.sender and opened.at >= sends.at
    where opened.at - sends.at < 7 * 86_400_000
    group by opened.channel, opened.campaign_id, opened.user_journey_id, opened.person, opened.sender, sends.at
),
-- Times are rounded by at most 2%, and so are their percentiles.
times as (
    select
        daily_response_times.channel,
        daily_response_times.campaign_id,
        daily_response_times.user_journey_id,
        daily_response_times.response,
        daily_response_times.seconds,
        sum(daily_response_times.responses) as responses,
        sum(daily_response_times.machine_clicks) as machine_clicks
    from marts.daily_response_times
    inner join period on daily_response_times.date between period.first_date and period.last_date
    where
        marts.matches('channel', daily_response_times.channel)
        and marts.matches('response', daily_response_times.response)
    group by all
    union all
    select
        opens.channel,
        opens.campaign_id,
        opens.user_journey_id,
        'opened' as response,
        marts.rounded_seconds((opens.first.at - opens.sent_at) / 1000),
        count(*),
        0
    from opens
    inner join period on opens.first.date between period.first_date and period.last_date
    group by all
),
added_up as (
    select
        *,
        sum(responses) over (sender order by seconds) as responses_so_far,
        nullif(sum(responses) over sender, 0) as all_responses
    from times
    window sender as (partition by channel, campaign_id, user_journey_id, response)
),
percentiles as (
    select
        channel,
        campaign_id,
        user_journey_id,
        response,
        unnest(marts.response_profile(added_up)),
        sum(machine_clicks)::bigint as machine_clicks,
        if(response = 'clicked', sum(machine_clicks) / sum(responses + machine_clicks), null) as machine_click_share
    from added_up
    group by channel, campaign_id, user_journey_id, response
)
select
    percentiles.channel,
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    percentiles.response,
    percentiles.responses,
    round(percentiles.p50_seconds, 1) as p50_seconds,
    round(percentiles.p90_seconds, 1) as p90_seconds,
    round(percentiles.p99_seconds, 1) as p99_seconds,
    round(percentiles.share_within_hour, 6) as share_within_hour,
    percentiles.machine_clicks,
    round(percentiles.machine_click_share, 6) as machine_click_share,
    round(percentiles.share_within_minute, 6) as share_within_minute,
    round(percentiles.share_within_day, 6) as share_within_day,
    coalesce(percentiles.campaign_id, percentiles.user_journey_id) as resource_id
from percentiles
left join campaigns on percentiles.campaign_id = campaigns.campaign_id
left join user_journeys on percentiles.user_journey_id = user_journeys.user_journey_id
order by percentiles.channel, percentiles.response, percentiles.responses desc, resource_id;
