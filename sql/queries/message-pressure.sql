-- title: Message pressure
-- title_ko: 수신 빈도
-- subject: people
-- question: How many messages reach people, and do they click less when they get more?
-- also: people exports
-- params:
--   day (date, default max(date)): last KST day of the window; by default the latest available day
--   window_days (bigint, default 28, one of 7 28): length of the window in days
-- sentences:
--   select least(window_days, days_held) as days, sum(people) as people, sum(messages) / sum(people) as messages from answer group by
--   all
--     en: {people} people got messages on the {days} {days#day|days} with events, {messages} each on average.
--     ko: 이벤트 데이터가 있는 {days}일 동안 {people}명이 1인당 평균 {messages}건의 메시지를 받았습니다.
--   with ends as (select *, row_number() over (order by rowid) as place from answer where share_of_people >= 0.05) select
--   many.share_of_people as share, many.click_rate, few.click_rate as few_click_rate, replace(replace(many.messages_per_person, '+',
--   ' or more'), '-', ' to ') as many_en, replace(replace(many.messages_per_person, '+', '건 이상'), '-', '~') ||
--   if(many.messages_per_person like '%+', '', '건') as many_ko, replace(few.messages_per_person, '-', ' to ') as few_en,
--   replace(few.messages_per_person, '-', '~') || '건' as few_ko from ends as many, ends as few where few.place = 1 and many.place =
--   (select max(place) from ends) and many.place > 1 and many.click_rate is not null and few.click_rate is not null
--     en: People who got {many_en} ({share}) clicked {click_rate} of their messages; people who got {few_en}, {few_click_rate}.
--       Only channels that count clicks are included.
--     ko: {many_ko} 받은 사람(수신자의 {share})의 클릭률은 {click_rate}, {few_ko} 받은 사람은 {few_click_rate}입니다(클릭을 집계하는 채널만).
--   select 1 from answer limit 1
--     en: People who get more messages differ in other ways too, so their click rate may have other causes.
--     ko: 메시지를 많이 받는 사람은 다른 특성도 다를 수 있어, 클릭률 차이의 원인이 수신 건수라고 단정할 수 없습니다.
--     as: note
--   select 1 from answer limit 1
--     en: A message counts when it was sent without failing. Texts sent instead are included; messages in the app or on the web are
--       not.
--     ko: ‘받은’ 메시지는 실패하지 않고 발송된 메시지입니다. 대체 발송 문자는 포함하고 인앱·인웹 메시지는 제외합니다.
--     as: note

with params as (
    select
        coalesce(getvariable('day')::date, max(date)) as last_date,
        coalesce(getvariable('window_days')::bigint, 28)::integer as length
    from ops.coverage
    where stream = 'events'
),
-- A day that is not held has no window. A window with missing days shows too few messages.
span as (
    select params.*, last_date - length + 1 as first_date, count(*) as days_held
    from params
    inner join ops.coverage on stream = 'events' and date between last_date - length + 1 and last_date
    group by all
    having bool_or(date = last_date)
),
-- Messages are those sent to the person, including texts sent instead of a failed message. Displays are counted apart, and clicks
-- on them are left out.
received as (
    select
        coalesce(people.person, daily_people.person) as person,
        daily_people.channel,
        sum(daily_people.messages) as messages,
        sum(daily_people.failover_texts) as failover_texts,
        sum(daily_people.shown) as shown,
        sum(if(marts.is_display(daily_people.channel), 0, daily_people.clicked)) as clicked
    from marts.daily_people
    inner join span on daily_people.date between span.first_date and span.last_date
    left join marts.people on daily_people.person = people.weaker_id
    group by all
),
persons as (
    select
        person,
        sum(messages) as messages,
        sum(shown) as shown,
        -- A channel without a click shows nothing about interest. A text sent instead of a message is not clicked on its channel.
        sum(messages - failover_texts) filter (channel in (select channel from received where clicked > 0)) as clickable,
        sum(clicked) as clicked
    from received
    group by person
    having sum(messages) > 0
),
steps as (
    select
        marts.message_step(messages) as at_least,
        count(*) as people,
        sum(messages)::bigint as messages,
        sum(shown)::bigint as shown,
        nullif(sum(clickable), 0)::bigint as clickable,
        sum(clicked)::bigint as clicked,
        count(*) filter (clicked > 0) as clickers
    from persons
    group by all
)
-- Where no channel of the messages counts clicks, clicks are unknown.
select
    marts.message_step_name(steps.at_least) as messages_per_person,
    steps.people,
    round(steps.people / sum(steps.people) over (), 4) as share_of_people,
    steps.messages,
    steps.shown,
    if(steps.clickable > 0, steps.clicked, null) as clicked,
    round(steps.clicked / steps.clickable, 4) as click_rate,
    round(if(steps.clickable > 0, steps.clickers / steps.people, null), 4) as clicker_share,
    if(steps.clickable > 0, steps.clickers, null) as clickers,
    span.last_date as date,
    span.length as window_days,
    span.days_held
from steps
cross join span
order by steps.at_least;
