-- title: Message pressure
-- title_ko: 수신 빈도
-- chart: bar messages_per_person people
-- subject: people
-- question: How many messages reach people, and do they click less when they get more?
-- question_ko: 고객 한 명이 메시지를 몇 건이나 받고, 많이 받을수록 덜 클릭하나요?
-- words: messages per person, how many messages does a person get, too many messages, click rate fall, fewer clicks, as people get more messages, more messages per week, message overload, message fatigue, over-messaging, 많이 보내면, 많이 받으면
-- also: people exports
-- params:
--   day (date, default max(date)): last KST day of the window; by default the latest available day
--   window_days (bigint, default 28, one of 7 28): length of the window in days
-- given:
--   steps as (select *, row_number() over (order by rowid) as place, row_number() over (order by rowid desc) as place_from_end,
--   same_day_rate - lag(same_day_rate) over (order by rowid) as change from answer where share_of_people >= 0.05 and same_day_rate is not null),
--   ends as (select few.trend, (select bool_and(change <= 0) from steps where place > 1) as falls, (select bool_and(change >= 0) from steps where
--   place > 1) as rises, many.share_of_people as share,
--   few.same_day_rate as few_rate, many.same_day_rate as many_rate, replace(replace(many.messages_per_person, '+', ' or more'), '-',
--   '–') as many_en, replace(replace(many.messages_per_person, '+', '건 이상'), '-', '~') || if(many.messages_per_person like '%+',
--   '', '건') as many_ko, replace(few.messages_per_person, '-', '–') || if(few.messages_per_person = '1', ' message', ' messages') as few_en, replace(few.messages_per_person, '-', '~') || '건'
--   as few_ko from steps as few, steps as many where few.place = 1 and many.place_from_end = 1 and many.place > 1)
-- sentences:
--   select least(window_days, days_held) as days, sum(people) as people, sum(messages) / sum(people) as messages from answer group by
--   all
--     en: {people} people got messages on the {days} {days#day|days} with events, {messages} each on average.
--     ko: 이벤트 데이터가 있는 {days}일 동안 {people}명이 1인당 평균 {messages}건의 메시지를 받았습니다.
--   select sum(people) filter (messages_per_person = '21+') as people, sum(share_of_people) filter (messages_per_person = '21+') as rate,
--   sum(people) as everyone, any_value(window_days) as days from answer having any_value(window_days) = 7 and rate >= 0.1
--     en: {people} of {everyone} recipients ({rate}) got 21 messages or more in one week.
--     ko: 한 주에 메시지를 21건 이상 받은 사람은 수신자 {everyone}명 중 {people}명({rate})입니다.
--     as: finding
--   select 1 from answer having any_value(window_days) = 7 and sum(share_of_people) filter (messages_per_person = '21+') >= 0.1
--     en: Who got more than 20 in a week from Monday: `dawnload query frequency kind=messages cap=20`.
--     ko: 한 주(월요일부터)에 20건 넘게 받은 사람: `dawnload query frequency kind=messages cap=20`.
--     as: note
--   select *, if(trend = 'falling', 'smaller', 'larger') as way_en, if(trend = 'falling', '낮습니다', '높습니다') as way_ko from ends
--   where (trend = 'falling' and falls and many_rate < few_rate) or (trend = 'rising' and rises and many_rate > few_rate)
--     en: The more messages people got, the {way_en} the share they clicked: {few_rate} after {few_en}, {many_rate} after
--       {many_en} ({share} of people), compared within the same days and campaigns.
--     ko: 메시지를 많이 받은 사람일수록 클릭률이 {way_ko}. 같은 날 같은 캠페인끼리 비교하면 {few_ko} 받은 사람은 {few_rate}, {many_ko} 받은 사람(수신자의 {share})은
--       {many_rate}입니다.
--   from ends where trend in ('falling', 'rising') and not falls and not rises
--     en: Compared within the same days and campaigns, people clicked {few_rate} after {few_en} and {many_rate} after {many_en} ({share} of
--       people). In between, the share both falls and rises.
--     ko: 같은 날 같은 캠페인끼리 비교하면 클릭률은 {few_ko} 받은 사람이 {few_rate}, {many_ko} 받은 사람(수신자의 {share})이 {many_rate}입니다. 그 사이에서는 오르내립니다.
--   from ends where trend = 'steady'
--     en: Compared within the same days and campaigns, people who got more messages did not click significantly more or less. Small
--       groups vary by chance.
--     ko: 같은 날 같은 캠페인끼리 비교하면 메시지를 많이 받은 사람과 적게 받은 사람의 클릭률 차이는 유의미하지 않습니다. 인원이 적은 구간의 차이는 우연일 수 있습니다.
--   select any_value(days_held) as days_held, any_value(window_days) as window_days from answer having any_value(days_held) <
--   any_value(window_days)
--     en: Only {days_held} of the {window_days} days have events. People got more messages than shown here, so no trend is shown.
--     ko: {window_days}일 중 이벤트 데이터가 있는 날은 {days_held}일입니다. 실제로 받은 메시지는 더 많으므로 추세는 표시하지 않습니다.
--     as: note
--   select 1 from ends where trend in ('falling', 'rising')
--     en: People who get more messages differ in other ways too, so their click rate may have other causes.
--     ko: 메시지를 많이 받는 사람은 애초에 성향이 다를 수 있으므로, 수신 건수 때문에 클릭률이 달라졌다고 단정할 수 없습니다.
--     as: note
--   select 1 from answer limit 1
--     en: A message counts when it was sent without failing. Texts sent instead are included; messages in the app or on the web are
--       not.
--     ko: ‘받은 메시지’는 발송에 성공한 메시지입니다. 대체 발송 문자는 포함하고 인앱·인웹 메시지는 제외합니다.
--     as: note

with params as (
    select
        coalesce(getvariable('day')::date, max(date)) as last_date,
        coalesce(getvariable('window_days')::bigint, 28)::integer as length
    from ops.coverage
    where stream = 'events'
),
-- If the last day is missing, there is no window. A window with missing days shows too few messages.
span as (
    select params.*, last_date - length + 1 as first_date, count(*) as days_held
    from params
    inner join ops.coverage on stream = 'events' and date between last_date - length + 1 and last_date
    group by all
    having bool_or(date = last_date)
),
-- Counts the messages sent to the person, including texts sent in place of failed messages. In-app and in-web messages are counted
-- separately, and clicks on them are left out.
received as (
    select
        coalesce(people.person, daily_people.person) as person,
        daily_people.date,
        daily_people.channel,
        coalesce(daily_people.campaign_id, daily_people.user_journey_id) as sender,
        sum(daily_people.messages) as messages,
        sum(daily_people.messages - daily_people.failover_texts) as clickable,
        sum(daily_people.shown) as shown,
        sum(if(marts.is_display(daily_people.channel), 0, daily_people.clicked)) as clicked,
        0 as answered
    from marts.daily_people
    inner join span on daily_people.date between span.first_date and span.last_date
    left join marts.people on daily_people.person = people.weaker_id
    group by all
    union all
    -- Clicks by the day of their message, because it is compared with other messages of that day.
    select
        coalesce(people.person, clicks.person),
        (clicks.sent_at at time zone 'Asia/Seoul')::date,
        clicks.channel,
        coalesce(clicks.campaign_id, clicks.user_journey_id),
        0,
        0,
        0,
        0,
        count(*)
    from marts.message_responses as clicks
    inner join span
        on
            clicks.date between span.first_date and span.last_date
            and (clicks.sent_at at time zone 'Asia/Seoul')::date >= span.first_date
    left join marts.people on clicks.person = people.weaker_id
    where clicks.response = 'clicked' and not clicks.is_machine and not marts.is_display(clicks.channel)
    group by all
),
-- Leaves out channels without any click, because they show nothing about interest; and texts sent in place of a message, because
-- they are not clicked on its channel.
campaign_rates as (
    select
        *,
        sum(clicked) over (partition by channel) > 0 as counts_clicks,
        sum(answered) over same_messages / nullif(sum(clickable) over same_messages, 0) as rate
    from received
    window same_messages as (partition by channel, sender, date)
),
persons as (
    select
        person,
        sum(messages) as messages,
        sum(shown) as shown,
        sum(clickable) filter (counts_clicks) as clickable,
        sum(clicked) as clicked,
        coalesce(sum(answered) filter (rate is not null), 0) as answered,
        -- The number of clicks that these messages would have at the rates of their days, campaigns and channels.
        coalesce(sum(clickable * rate) filter (counts_clicks), 0) as expected
    from campaign_rates
    group by person
    having sum(messages) > 0
),
ranked as (
    select
        *,
        marts.message_step(messages) as at_least,
        dense_rank() over (order by at_least) as step
    from persons
),
-- The trend over all groups. A person's clicks depend on each other, so the variance is computed over people.
trend as (
    select sum(score * (answered - expected)) / nullif(sqrt(sum(pow(score * (answered - expected), 2))), 0) as z
    from (select *, step - sum(step * expected) over () / nullif(sum(expected) over (), 0) as score from ranked)
),
steps as (
    select
        at_least,
        count(*) as people,
        sum(messages)::bigint as messages,
        sum(shown)::bigint as shown,
        nullif(sum(clickable), 0)::bigint as clickable,
        sum(clicked)::bigint as clicked,
        sum(answered) as answered,
        sum(expected) as expected,
        count(*) filter (clicked > 0) as clickers
    from ranked
    group by at_least
)
-- If no channel of these messages counts clicks, clicks are unknown.
select
    marts.message_step_name(steps.at_least) as messages_per_person,
    steps.people,
    round(steps.people / sum(steps.people) over (), 6) as share_of_people,
    steps.messages,
    steps.shown,
    if(steps.clickable > 0, steps.clicked, null) as clicked,
    round(steps.clicked / steps.clickable, 6) as click_rate,
    round(
        sum(steps.clicked) over () / nullif(sum(steps.clickable) over (), 0) * steps.answered / nullif(steps.expected, 0), 6
    ) as same_day_rate,
    round(if(steps.clickable > 0, steps.clickers / steps.people, null), 6) as clicker_share,
    if(steps.clickable > 0, steps.clickers, null) as clickers,
    if(span.days_held < span.length, null, marts.trend_by_deviations(trend.z)) as trend,
    span.last_date as date,
    span.length as window_days,
    span.days_held
from steps
cross join span
cross join trend
order by steps.at_least;
