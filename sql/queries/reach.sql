-- title: Reach
-- title_ko: 수신자 수
-- chart: bar resource_name people_reached by channel, bar channel people_reached
-- subject: people
-- question: How many different people did each campaign reach (messages were sent to them), and how many of them clicked?
-- question_ko: 캠페인별로 몇 명에게 발송했고, 그중 몇 명이 클릭했나요?
-- words: how many people got a message, reached people, 도달 인원, 도달 고객, 발송 인원, how many people did we reach, people messaged
-- also: people exports
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
--   per (varchar, default 'campaign', one of campaign channel): rows by campaign, or by campaign and channel
-- sentences:
--   select any_value(people_in_all) as people, arg_max(resource_name, people_reached) as resource_name, max(people_reached) as most,
--   max(days_held) as days from answer having people > 0
--     en: {people} different people got messages on the {days} {days#day|days} with events. “{resource_name}” went to the most: {most}.
--     ko: 이벤트 데이터가 있는 {days}일 동안 {people}명이 메시지를 받았습니다(중복 제외). 가장 많이 받은 것은 ‘{resource_name}’입니다({most}명).

with params as (
    select *, marts.choice('per', ['campaign', 'channel']) as per
    from marts.period('events', days := 28)
),
days as (
    select unnest(range(first_date, last_date + 1, interval 1 day))::date as date
    from params
),
-- People who were reached only on missing days are not counted.
range_days as (
    select
        count(coverage.date) as days_held,
        coalesce(marts.listed_days(list(days.date) filter (coverage.date is null)), '') as days_without_events
    from days
    left join ops.coverage on coverage.stream = 'events' and days.date = coverage.date
),
people as (
    select
        daily_people.campaign_id,
        daily_people.user_journey_id,
        daily_people.channel,
        -- A person first seen as a device and later as a user counts once.
        coalesce(people_now.person, daily_people.person) as person,
        sum(daily_people.messages + daily_people.shown) as messages,
        sum(daily_people.clicked) as clicked
    from marts.daily_people
    left join marts.people as people_now on daily_people.person = people_now.weaker_id
    where daily_people.date in (select date from days) and marts.matches('channel', daily_people.channel)
    group by all
),
-- On a channel that does not count clicks, the number of clickers is unknown, not zero.
readers as (
    select
        people.campaign_id,
        people.user_journey_id,
        if((select per from params) = 'channel', people.channel, null) as row_channel,
        people.person,
        sum(people.messages) as messages,
        coalesce(sum(people.messages) filter (channel_counters.counts_clicks), 0) > 0 as can_click,
        sum(people.clicked) > 0 as clicked,
        bool_or(channel_counters.counts_clicks) as counts_clicks
    from people
    left join marts.channel_counters on people.channel is not distinct from channel_counters.channel
    group by all
),
channels_of as (
    select campaign_id, user_journey_id, string_agg(distinct channel, ', ' order by channel) as channels
    from marts.daily_people
    where date in (select date from days) and marts.matches('channel', channel)
    group by all
),
reached as (
    select
        campaign_id,
        user_journey_id,
        row_channel,
        count(*) filter (messages > 0) as people_reached,
        sum(messages)::bigint as messages,
        case when bool_or(counts_clicks) then count(*) filter (clicked) end as clickers,
        count(*) filter (can_click and clicked) / nullif(count(*) filter (can_click), 0) as clicker_share
    from readers
    group by campaign_id, user_journey_id, row_channel
)
select
    coalesce(campaigns.campaign_name, user_journeys.user_journey_name) as resource_name,
    reached.row_channel as channel,
    reached.people_reached,
    reached.messages,
    round(reached.messages / nullif(reached.people_reached, 0), 2) as messages_per_person,
    reached.clickers,
    round(reached.clicker_share, 6) as clicker_share,
    (select count(distinct person) from readers where messages > 0) as people_in_all,
    range_days.days_held,
    range_days.days_without_events,
    channels_of.channels,
    coalesce(reached.campaign_id, reached.user_journey_id) as resource_id
from reached
cross join range_days
left join channels_of
    on
        reached.campaign_id is not distinct from channels_of.campaign_id
        and reached.user_journey_id is not distinct from channels_of.user_journey_id
left join campaigns on reached.campaign_id = campaigns.campaign_id
left join user_journeys on reached.user_journey_id = user_journeys.user_journey_id
order by reached.people_reached desc, resource_id, channel;
