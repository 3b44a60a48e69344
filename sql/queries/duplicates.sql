-- title: Duplicates in a day
-- title_ko: 하루 중복 발송
-- chart: bar campaign_name duplicates by channel
-- subject: people
-- question: Which campaigns reached a person more than once on a day, and how often?
-- question_ko: 한 사람에게 하루에 두 번 이상 보낸 캠페인은 무엇이고, 몇 건인가요?
-- words: sent twice, got twice, same message twice, 두 번 받은, 두번, 중복 발송, 중복 수신자, duplicate messages, duplicate sends, messages twice
-- also: people exports event_days
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   campaign (varchar, default null): only the campaign with this id
--   channel (varchar, default null): only this channel, such as push-notification
-- sentences:
--   select sum(duplicates) as n, arg_max(campaign_name, duplicates) as campaign_name from answer having n > 0
--     en: {n} {n#message|messages} went to people who already had one of the same campaign that day, most of them from
--       “{campaign_name}”.
--     ko: 같은 날 같은 캠페인을 이미 받은 사람에게 {n}건을 더 보냈습니다. 가장 많은 캠페인은 ‘{campaign_name}’입니다.
--   select campaign_id, campaign_name, channel, duplicates, messages, duplicate_share as rate from answer where duplicates >= 100 and duplicate_share
--   >= 0.1 order by duplicates desc limit 1
--     en: {duplicates} of {messages} messages of “{campaign_name}” ({channel}) that did not fail went to people who already had
--       one that day ({rate}).
--     ko: ‘{campaign_name}’({channel}) 발송 성공 {messages}건 중 {duplicates}건({rate})을 같은 날 이미 받은 사람에게 또 보냈습니다.
--     as: finding
--   select campaign_id, campaign_name, duplicates, messages, duplicate_share as rate, most_in_a_day from answer where duplicates >= 100 and duplicate_share >= 0.1 order by duplicates desc limit 1
--     en: Check the frequency cap of “{campaign_name}”: {duplicates} of {messages} messages that did not fail ({rate}) went to people who
--       already had one that day. One person got up to {most_in_a_day} a day.
--     ko: ‘{campaign_name}’의 빈도 제한을 확인하세요. 발송 성공 {messages}건 중 {duplicates}건({rate})을 같은 날 이미 받은 사람에게 또 보냈습니다. 한 사람이
--       하루에 최대 {most_in_a_day}건을 받았습니다.
--     as: to do
--   select campaign_name, if(regexp_matches(campaign_id, '^[\w-]+$'), campaign_id, null) as id, channel as code from answer where duplicates >= 100 and
--   duplicate_share >= 0.1 and id is not null order by duplicates desc limit 1
--     en: Who got “{campaign_name}” twice on a day: `dawnload query frequency campaign={id} channel={code} kind=messages per=day cap=1`.
--     ko: ‘{campaign_name}’{을/를} 하루에 두 번 이상 받은 사람: `dawnload query frequency campaign={id} channel={code} kind=messages per=day cap=1`.
--     as: note
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'events') and
--   marts.counts_people()
--     en: No campaign sent anyone more than one message on a day.
--     ko: 하루에 같은 사람에게 두 번 이상 발송한 캠페인이 없습니다.

with period as (from marts.period('events', days := 28))
select
    coalesce(any_value(campaigns.campaign_name), daily_people.campaign_id) as campaign_name,
    daily_people.channel,
    -- The messages to a person on a day after the first one.
    (sum(daily_people.messages) - count(*))::bigint as duplicates,
    sum(daily_people.messages)::bigint as messages,
    round(duplicates / sum(daily_people.messages), 6) as duplicate_share,
    count(distinct daily_people.person) filter (daily_people.messages > 1) as people_with_several,
    max(daily_people.messages) as most_in_a_day,
    max(daily_people.date) filter (daily_people.messages > 1) as last_date,
    daily_people.campaign_id
from marts.daily_people
inner join period on daily_people.date between period.first_date and period.last_date
left join campaigns on daily_people.campaign_id = campaigns.campaign_id
where
    daily_people.campaign_id is not null
    and daily_people.messages > 0
    and marts.matches('campaign', daily_people.campaign_id)
    and marts.matches('channel', daily_people.channel)
group by daily_people.campaign_id, daily_people.channel
having duplicates > 0
order by duplicates desc, daily_people.campaign_id, daily_people.channel;
