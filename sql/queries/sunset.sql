-- title: People who never click
-- title_ko: 클릭하지 않는 수신자
-- subject: people
-- question: Who got many messages and never clicked one, or neither opened nor clicked one?
-- question_ko: 메시지를 많이 받고도 한 번도 클릭(또는 오픈)하지 않은 사람은 누구인가요?
-- words: haven't opened, haven't clicked, not opened, did not open, not engaged, non-clickers, non-clicker, did not click, 미클릭자, 비클릭자, 클릭 안 한 사람, never clicked, inactive, 한 번도 클릭 안 한, 클릭하지 않은 고객 명단, 무반응, dormant, unengaged, 휴면, 비활성, inactive users, inactive people, inactive customers, unengaged people, list cleaning, haven't opened anything, 90일 동안 안 연, 안 연 사람, 비활성 고객
-- also: people exports
-- params:
--   start (date, default last_date - 89): first KST day; by default the range has 90 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   least_messages (bigint, default 10): minimum number of messages to a listed person
--   channel (varchar, default null): only this channel, such as push-notification
--   event (varchar, default 'clicked', one of clicked opened): clicked lists those who clicked none; opened those who neither opened nor clicked one, on channels that report opens
-- given:
--   words as (select is_open, if(is_open, 'neither opened nor clicked one', 'clicked none') as none_en, if(is_open, '오픈도 클릭도 하지', '클릭하지') as none_ko, if(is_open, 'opened or clicked',
--   'clicked') as did_en, if(is_open, '오픈하거나 클릭했', '클릭했') as did_ko from (select coalesce(getvariable('event')::varchar, 'clicked') = 'opened' as is_open))
-- sentences:
--   select count(*) as people, any_value(people_with_as_many) as of_all, count(*) / any_value(people_with_as_many) as rate,
--   any_value(least) as least, any_value(none_en) as none_en, any_value(none_ko) as none_ko from answer, words having people > 0
--     en: {people} of the {of_all} people who got at least {least} {least#message|messages} ({rate}) {none_en}.
--     ko: 메시지를 {least}건 이상 받은 {of_all}명 중 {people}명({rate})이 한 번도 {none_ko} 않았습니다.
--   select any_value(days_held) as days_held, any_value(days_needed) as days_needed, any_value(did_en) as did_en, any_value(did_ko) as did_ko from answer, words having
--   any_value(days_held) < any_value(days_needed)
--     en: Only {days_held} of the {days_needed} days have events. These people may have {did_en} on another day.
--     ko: {days_needed}일 중 이벤트 데이터가 있는 {days_held}일 기준입니다. 나머지 날에 {did_ko}을 수 있습니다.
--     as: note
--   select 1 from answer, words where is_open limit 1
--     en: Only channels that report opens are included. Mail programs may open by themselves, so some of the others may not have read one either.
--     ko: 오픈을 집계하는 채널만 포함합니다. 메일 프로그램이 자동으로 오픈할 수 있어, 목록에 없는 사람도 읽지 않았을 수 있습니다.
--     as: note
--   select 1 from answer, words where not is_open limit 1
--     en: Only channels that count clicks are included, without in-app and in-web messages. Under `pushes` in the settings, the same query gives user ids.
--     ko: 클릭을 집계하는 채널만 포함합니다(인앱·인웹 메시지 제외). 이 사용자 ID는 `dawnload push`로 메시지 서비스에 전송할 수 있습니다.
--     as: note
--   select coalesce(getvariable('least_messages')::bigint, 10) as least, if(is_open, 'opening or clicking', 'clicking') as doing_en, none_ko from words where not exists (from answer) and exists (from ops.coverage where stream = 'events') and marts.counts_people()
--     en: Nobody got at least {least} messages without {doing_en} one.
--     ko: 메시지를 {least}건 이상 받고 한 번도 {none_ko} 않은 사람은 없습니다.

with params as (
    select
        *,
        coalesce(getvariable('least_messages')::bigint, 10) as least,
        marts.days_held('events', first_date, last_date) as days_held,
        marts.choice('event', ['clicked', 'opened']) = 'opened' as by_opens
    from marts.period('events', days := 90)
),
openers as (
    select distinct coalesce(people.person, opens.person) as person
    from marts.event_people as opens
    inner join params on params.by_opens and opens.date between params.first_date and params.last_date
    left join marts.people on opens.person = people.weaker_id
    where opens.kind = 'opened' and marts.matches('channel', opens.channel)
),
persons as (
    select
        coalesce(people.person, daily_people.person) as person,
        sum(daily_people.messages)::bigint as messages,
        sum(daily_people.clicked) as clicked,
        list_sort(list(distinct daily_people.channel) filter (daily_people.messages > 0)) as channels,
        max(daily_people.date) filter (daily_people.messages > 0) as last_date
    from marts.daily_people
    inner join params on daily_people.date between params.first_date and params.last_date
    inner join marts.channel_counters
        on daily_people.channel = channel_counters.channel and channel_counters.counts_clicks
    left join marts.people on daily_people.person = people.weaker_id
    -- Displays in the app or on the web are no messages here, so their clicks do not count either.
    where
        marts.matches('channel', daily_people.channel)
        and not marts.is_display(daily_people.channel)
        and (not params.by_opens or daily_people.channel in (select channel from marts.daily_events where kind = 'opened'))
    group by all
    having sum(daily_people.messages) > 0
)
select
    person_ids.id as user_id,
    persons.messages,
    array_to_string(persons.channels, ', ') as channels,
    persons.last_date,
    (select count(*) from persons where persons.messages >= params.least) as people_with_as_many,
    params.least,
    params.days_held,
    params.last_date - params.first_date + 1 as days_needed,
    persons.person
from persons
cross join params
left join marts.person_ids on persons.person = person_ids.person and person_ids.kind = 'user_id'
where persons.clicked = 0 and persons.person not in (from openers) and persons.messages >= params.least
order by persons.messages desc, person_ids.id, persons.person;
