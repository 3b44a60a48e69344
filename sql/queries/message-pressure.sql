-- title: Message pressure
-- subject: people
-- question: How many messages reach people, and do they click less when they get more?
-- also: people exports
-- params:
--   day (date, default max(date)): last KST day of the window; unless given, the last one held
--   window_days (bigint, default 28, one of 7 28): length of the window in days
-- sentences:
--   select least(window_days, days_held) as days, sum(people) as people, sum(messages) / sum(people) as messages from answer group by
--   all
--     en: On the {days} {days#day|days} whose events are held, {people} people got messages, {messages} each on average.
--     ko: 이벤트 데이터가 있는 {days}일 동안 {people}명이 1인당 평균 {messages}건의 메시지를 받았습니다.
--   with ends as (select *, row_number() over (order by rowid) as place from answer where share_of_people >= 0.05) select
--   many.share_of_people as share, many.click_rate, few.click_rate as few_click_rate, replace(replace(many.messages_per_person, '+',
--   ' or more'), '-', ' to ') as many_en, replace(replace(many.messages_per_person, '+', '건 이상'), '-', '~') ||
--   if(many.messages_per_person like '%+', '', '건') as many_ko, replace(few.messages_per_person, '-', ' to ') as few_en,
--   replace(few.messages_per_person, '-', '~') || '건' as few_ko from ends as many, ends as few where few.place = 1 and many.place =
--   (select max(place) from ends) and many.place > 1 and many.click_rate is not null and few.click_rate is not null
--     en: On channels that count clicks, the {share} of them who got {many_en} clicked {click_rate} of their messages, and people who got
--       {few_en} clicked {few_click_rate}.
--     ko: {many_ko} 받은 사람({share})의 클릭률은 {click_rate}, {few_ko} 받은 사람은 {few_click_rate}입니다(클릭을 집계하는 채널 기준).
--   select 1 from answer limit 1
--     en: People who get more messages differ in other ways too, so a different rate may have other causes.
--     ko: 메시지를 많이 받는 사람은 다른 특성도 다를 수 있어, 클릭률 차이를 수신 건수의 영향으로 단정할 수 없습니다.
--     as: note
--   select 1 from answer limit 1
--     en: People “got” a message when it was sent to them and did not fail; texts sent instead count, messages in the app or on the web do not.
--     ko: ‘받은’ 메시지는 실패하지 않고 발송된 메시지입니다. 대체 발송 문자는 포함하고 인앱·인웹 메시지는 제외합니다.
--     as: note

with params as (
    select
        coalesce(getvariable('day')::date, max(date)) as last_date,
        coalesce(getvariable('window_days')::bigint, 28) as length
    from marts.message_pressure
)
select
    message_pressure.messages_per_person,
    message_pressure.people,
    round(message_pressure.share_of_people, 4) as share_of_people,
    message_pressure.messages,
    message_pressure.shown,
    message_pressure.clicked,
    round(message_pressure.click_rate, 4) as click_rate,
    round(message_pressure.clicker_share, 4) as clicker_share,
    message_pressure.clickers,
    message_pressure.date,
    message_pressure.window_days,
    message_pressure.days_held
from marts.message_pressure
inner join params
    on message_pressure.date = params.last_date and message_pressure.window_days = params.length
order by message_pressure.at_least;
