-- title: One person's messages
-- title_ko: 수신자 이력
-- subject: people
-- question: Which messages did one person get, and which did they click?
-- question_ko: 고객 한 명이 어떤 메시지를 받았고 무엇을 클릭했나요?
-- words: history of one customer, customer history, 한 사람의 이력, 고객 이력, message history of a customer, 고객 발송 이력, 받은 메시지 이력, one customer, one person, what happened to one person, everything we sent, sent to one customer, 한 고객, 고객 한 명
-- access: recorded
-- also: people exports
-- params:
--   id (varchar, default ''): a user or device id of the person, as events have it
--   start (date, default min(date)): first KST day; by default the first available day
--   end (date, default max(date)): last KST day; by default the latest available day
-- sentences:
--   select count(*) as messages, min(date) as first_date, nullif(count(*) filter (what = 'failover_succeeded'), 0) as texts, nullif(count(*) filter (what = 'shown'), 0) as shown,
--   (select count(*) from answer where what = 'clicked') as clicked, (select count(*) from answer where what in ('failed', 'failover_failed')) as failed from answer where what in ('succeeded', 'shown', 'failover_succeeded') having messages > 0
--     en: This person got {messages} {messages#message|messages} since {first_date} and clicked {clicked} {clicked#time|times}. {failed}
--       {failed#send|sends} failed.[[ {texts} of the messages {texts#is a text|are texts} sent in place of a failed one.]][[ {shown} of
--       the messages {shown#was|were} shown in the app or on the web.]]
--     ko: {first_date}부터 메시지 {messages}건을 받아 {clicked}번 클릭했습니다. 발송 실패는 {failed}건입니다.[[ 받은 메시지 중 {texts}건은 실패한 메시지 대신 받은 문자입니다.]][[ 받은 메시지 중 {shown}건은 인앱·인웹 노출입니다.]]
--   select 1 from answer where exists (from marts.channel_counters where channel = 'webhook') limit 1
--     en: Webhook calls are left out, because they reach systems and not the person.
--     ko: 웹훅 호출은 고객이 아니라 시스템으로 보내므로 제외했습니다.
--     as: note
--   select 1 where not exists (from answer) and marts.is_excluded(getvariable('id')::varchar)
--     en: This id is under `exclude`, so its messages are not counted. The table `events` has them.
--     ko: 집계 제외 대상(`exclude`)의 ID라 메시지를 집계하지 않습니다. `events` 테이블에는 있습니다.
--   select 1 where not exists (from answer) and coalesce(getvariable('id')::varchar, '') <> '' and not
--   marts.is_excluded(getvariable('id')::varchar)
--     en: No messages of this id. If `privacy.columns` hashes ids, give the hash.
--     ko: 이 ID의 메시지가 없습니다. `privacy.columns`에서 ID를 해시한다면 해시 값을 입력하세요.
--   select 1 where coalesce(getvariable('id')::varchar, '') = ''
--     en: Give an id, such as `id=user-1`.
--     ko: 고객 ID를 입력하세요(명령줄에서는 `id=user-1`).
--   select 1 from answer limit 1
--     en: This question was recorded in private/access.jsonl, with the time and a keyed digest of the id.
--     ko: 조회 시각과 ID의 해시가 private/access.jsonl에 기록되었습니다.
--     as: note

with period as (from marts.period('events')),
known as (select distinct person from marts.person_ids where id = coalesce(getvariable('id')::varchar, '')),
-- The person's ids, and the numbers that events gave the person before an id was linked.
wanted as (
    select person from known
    union
    select people.weaker_id from marts.people inner join known on people.person = known.person
),
-- Messages are found first and joined with their texts. The other way around, every text would have to be in memory.
messages as (
    select sends.*
    from marts.event_people as sends
    inner join period on sends.date between period.first_date and period.last_date
    where
        sends.person in (select person from wanted)
        and sends.channel <> 'webhook'
        and (marts.is_message(sends.event_name, sends.channel) or sends.kind in ('failover_succeeded', 'failover_failed'))
    -- A text in place of a failed message has the message's id.
    qualify sends.event_id is null
        or row_number() over (
            partition by sends.date, sends.event_id, starts_with(sends.kind, 'failover') order by sends.occurred_at, sends.event_name
        ) = 1
),
texts as (
    from marts.message_texts
    semi join messages using (date, event_id)
),
happened as (
    select
        messages.occurred_at at time zone 'Asia/Seoul' as happened_at_kst,
        messages.channel,
        if(messages.kind = 'delivered', 'shown', messages.kind) as what,
        resources.resource_name,
        texts.title,
        -- On one line, for tables.
        trim(regexp_replace(texts.text, '\s+', ' ', 'g')) as text,
        messages.experiment_group_name as variant_name,
        texts.template,
        messages.failure_reason,
        coalesce(messages.campaign_id, messages.user_journey_id) as resource_id,
        messages.event_id,
        messages.date
    from messages
    left join texts on messages.date = texts.date and messages.event_id = texts.event_id and not starts_with(messages.kind, 'failover')
    left join marts.resources
        on
            messages.campaign_id is not distinct from resources.campaign_id
            and messages.user_journey_id is not distinct from resources.user_journey_id
    union all by name
    select
        (clicks.sent_at + to_microseconds((1000000 * clicks.seconds)::bigint)) at time zone 'Asia/Seoul' as happened_at_kst,
        clicks.date,
        clicks.channel,
        clicks.response as what,
        resources.resource_name,
        coalesce(clicks.campaign_id, clicks.user_journey_id) as resource_id,
        clicks.event_id
    from marts.message_responses as clicks
    inner join period on clicks.date between period.first_date and period.last_date
    left join marts.resources
        on
            clicks.campaign_id is not distinct from resources.campaign_id
            and clicks.user_journey_id is not distinct from resources.user_journey_id
    where
        clicks.response = 'clicked'
        and not clicks.is_machine
        and clicks.person in (select person from wanted)
)
select *
from happened
order by happened_at_kst, what desc, event_id;
