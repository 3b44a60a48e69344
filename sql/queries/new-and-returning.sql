-- title: New and returning people
-- title_ko: 신규·기존 수신자
-- chart: line week new_people
-- subject: people
-- question: How many people got their first message in each week, and do they click as often as the others?
-- question_ko: 주별로 신규 수신자는 몇 명이고, 기존 수신자만큼 클릭하나요?
-- words: new customers, 신규 고객, 신규 회원, new users
-- also: people exports
-- params:
--   start (date, default last_date - 55): first KST day; the weeks begin with the Monday of its week; by default the range has 56 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   channel (varchar, default null): only messages on this channel; people are new by their first message on any channel
-- given:
--   latest as (from answer where new_share is not null and days_held = 7 order by week desc limit 1)
-- sentences:
--   from latest where people > 0
--     en: {new_share} of the {people} people messaged in the week of {week:day} got their first message then: {new_people}.
--     ko: {week:day}에 시작하는 주의 수신자 {people}명 중 {new_people}명({new_share})이 첫 메시지를 받았습니다.
--   from latest where new_clicker_rate is not null and returning_clicker_rate is not null
--     en: {new_clicker_rate} of the new people clicked that week, versus {returning_clicker_rate} of the others. They got
--       {new_messages} and {returning_messages} messages each.
--     ko: 그 주에 클릭한 사람은 신규 {new_clicker_rate}, 기존 {returning_clicker_rate}입니다. 1인당 메시지는 신규 {new_messages}건, 기존 {returning_messages}건입니다.
--   from answer where new_share is null order by week limit 1
--     en: Everyone seems new in the week of {week:day}, because events begin there.
--     ko: {week:day} 주차는 데이터가 시작된 주라서 모두 신규로 집계됩니다.
--     as: note
--   select week, days_held from answer where days_held < 7 order by week
--     en: The week of {week:day} has events on {days_held} of 7 days.
--     ko: {week:day}에 시작하는 주는 7일 중 이벤트 데이터가 있는 {days_held}일 기준입니다.
--     as: note

with params as (select * replace (date_trunc('week', first_date)::date as first_date) from marts.period('events', days := 56)),
-- People may have got earlier messages on days without events.
began as (select date_trunc('week', min(date))::date as week from ops.coverage where stream = 'events'),
held as (
    select date_trunc('week', coverage.date)::date as week, count(*) as days_held
    from ops.coverage
    inner join params on coverage.date between params.first_date and params.last_date
    where coverage.stream = 'events'
    group by all
),
first_weeks as (
    select coalesce(people.person, first_messages.person) as person, min(first_messages.cohort_week) as week
    from marts.first_messages
    left join marts.people on first_messages.person = people.weaker_id
    group by all
),
received as (
    select
        coalesce(people.person, daily_people.person) as person,
        date_trunc('week', daily_people.date)::date as week,
        sum(daily_people.clicked) > 0 as has_clicked,
        bool_or(channel_counters.counts_clicks) as counts_clicks,
        sum(daily_people.messages + daily_people.shown) as messages
    from marts.daily_people
    inner join params on daily_people.date between params.first_date and params.last_date
    left join marts.channel_counters on daily_people.channel = channel_counters.channel
    left join marts.people on daily_people.person = people.weaker_id
    where marts.matches('channel', daily_people.channel)
    group by all
    having sum(daily_people.messages + daily_people.shown) > 0
),
weeks as (
    select
        received.week,
        count(*) as people,
        count(*) filter (first_weeks.week = received.week) as new_people,
        count(*) filter (first_weeks.week < received.week) as returning_people,
        sum(received.messages) filter (first_weeks.week = received.week) as new_messages,
        sum(received.messages) filter (first_weeks.week < received.week) as returning_messages,
        -- Only people with messages on a channel that counts clicks are included.
        count(*) filter (counts_clicks and first_weeks.week = received.week) as new_base,
        count(*) filter (counts_clicks and has_clicked and first_weeks.week = received.week) as new_clickers,
        count(*) filter (counts_clicks and first_weeks.week < received.week) as returning_base,
        count(*) filter (counts_clicks and has_clicked and first_weeks.week < received.week) as returning_clickers
    from received
    inner join first_weeks on received.person = first_weeks.person
    group by received.week
)
select
    weeks.week,
    weeks.people,
    weeks.new_people,
    weeks.returning_people,
    round(if(weeks.week > began.week, weeks.new_people / weeks.people, null), 6) as new_share,
    round(if(weeks.week > began.week, weeks.new_clickers / nullif(weeks.new_base, 0), null), 6) as new_clicker_rate,
    round(weeks.returning_clickers / nullif(weeks.returning_base, 0), 6) as returning_clicker_rate,
    round(weeks.new_messages / nullif(weeks.new_people, 0), 1) as new_messages,
    round(weeks.returning_messages / nullif(weeks.returning_people, 0), 1) as returning_messages,
    held.days_held
from weeks
cross join began
inner join held on weeks.week = held.week
order by weeks.week;
