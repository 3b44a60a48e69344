-- title: Too many messages
-- title_ko: 수신 한도 초과
-- subject: people
-- question: Who got more ads, or more messages, in a week or a day than the cap allows?
-- question_ko: 한 주나 하루에 한도보다 많은 광고나 메시지를 받은 사람은 누구인가요?
-- words: 광고 많이 받은 사람, 과다 발송, more than five messages a week, more than three messages in a day, messages per day, 하루 수신 한도, 하루에 3건 넘게, frequency cap, 빈도 제한, 발송 한도, 메시지 많이 받은 사람
-- also: people exports event_days
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   cap (bigint, default 3): most ads or messages that a person may get in a week or day
--   per (varchar, default 'week', one of week day): the time of the cap: a week from Monday, or a day
--   kind (varchar, default 'ads', one of ads messages): what counts: ads alone, or all messages that were sent to people
--   channel (varchar, default null): only this channel, such as text-message
--   campaign (varchar, default null): only messages of the campaign or user journey with this id
-- sentences:
--   select count(distinct person) as people, any_value(people_in_all) as of_all, max(messages) as most, any_value(cap) as cap,
--   if(getvariable('kind') = 'messages', 'messages', 'ads') as kind, if(kind = 'ads', '광고', '메시지') as kind_ko, if(getvariable('per') = 'day',
--   'day', 'week') as time, if(time = 'day', '하루에', '한 주에') as time_ko from answer having people > 0
--     en: {people} of {of_all} people with {kind} got more than {cap} in a {time}. The most is {most}.
--     ko: {kind_ko}를 받은 {of_all}명 중 {people}명이 {time_ko} {cap}건 넘게 받았습니다. 최대 {most}건입니다.
--   select 1 from answer where getvariable('kind') is distinct from 'messages' limit 1
--     en: Only texts and friendtalk messages that are marked as ads count, because other channels have no such mark.
--     ko: 다른 채널에는 광고 표시가 없어, 광고로 표시한 문자와 친구톡만 집계합니다.
--     as: note
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'events') and marts.counts_people()
--     en: Nobody got more than the cap.
--     ko: 한도보다 많이 받은 사람이 없습니다.

with params as (
    select
        *,
        coalesce(getvariable('cap')::bigint, 3) as cap,
        marts.choice('kind', ['ads', 'messages']) as kind,
        marts.choice('per', ['week', 'day']) as per
    from marts.period('events', days := 28)
),
sends as (
    select sends.date, sends.person, coalesce(sends.campaign_id, sends.user_journey_id) as resource_id, count(distinct sends.event_id) as messages
    from marts.event_people as sends
    inner join params on sends.date between params.first_date and params.last_date and params.kind = 'ads'
    inner join marts.message_texts as ads on sends.date = ads.date and sends.event_id = ads.event_id and ads.is_ad
    where
        sends.kind = 'succeeded'
        and marts.matches('channel', sends.channel)
        and marts.matches('campaign', coalesce(sends.campaign_id, sends.user_journey_id))
    group by all
    union all
    select daily_people.date, daily_people.person, coalesce(daily_people.campaign_id, daily_people.user_journey_id), daily_people.messages
    from marts.daily_people
    inner join params on daily_people.date between params.first_date and params.last_date and params.kind = 'messages'
    where
        daily_people.messages > 0
        and marts.matches('channel', daily_people.channel)
        and marts.matches('campaign', coalesce(daily_people.campaign_id, daily_people.user_journey_id))
),
totals as (
    select
        coalesce(people.person, sends.person) as person,
        date_trunc(params.per, sends.date)::date as first_date,
        sum(sends.messages)::bigint as messages,
        count(distinct sends.resource_id) as campaigns_and_journeys
    from sends
    cross join params
    left join marts.people on sends.person = people.weaker_id
    group by all
)
select
    person_ids.id as user_id,
    totals.first_date,
    totals.messages,
    totals.campaigns_and_journeys,
    (select count(distinct person) from totals) as people_in_all,
    params.cap,
    totals.person
from totals
cross join params
left join marts.person_ids on totals.person = person_ids.person and person_ids.kind = 'user_id'
where totals.person is not null and totals.messages > params.cap
order by totals.messages desc, totals.first_date desc, person_ids.id, totals.person;
