-- title: Events per message
-- subject: times
-- question: How often do opens, clicks and all other events happen on each channel, per message and by how many people?
-- counts: people
-- params:
--   start (date, default last_date - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   channel (varchar, default null): only this channel, such as push-notification
-- sentences:
--   select channel, sum(events) as events, max(people_share) as people_share from answer where kind = 'clicked' group by channel
--   having sum(events) > 0 order by events desc limit 1
--     en: Most clicks came from {channel}: {events}.
--     ko: 클릭이 가장 많은 채널은 {channel}{으로/로}, {events}건입니다.
--   select channel, sum(machine_clicks)::bigint as machines from answer group by channel having machines > 0
--     en: Mail scanners made {machines} further clicks ({channel}), which are left out.
--     ko: 메일 검사기의 클릭 {machines}건은 제외했습니다({channel}).
--     as: note
--   select 1 where not exists (from answer) and not exists (from ops.coverage where stream = 'events')
--     en: Events come with paid exports: set or raise exports.budget, and `dawnload plan` shows what they cost.
--     ko: 이벤트는 유료 내보내기에 들어 있습니다. exports.budget을 설정하거나 늘리고 `dawnload plan`으로 비용을 확인하세요.
-- example:
--   channel           event_name                          events  events_per_message  people  people_share  …
--   chatapp-alimtalk  send_success                        7334    1                   232     1             …
--   chatapp-alimtalk  send_failure                        297     0.0405              153     0.6595        …
--   chatapp-alimtalk  failover_text_message_send_success  215     0.0293              125     0.5388        …

with period as (from marts.period('events', days := 28)),
machines as (
    select distinct
        responses.date,
        responses.event_id,
        epoch_ms(responses.sent_at) + round(1000 * responses.seconds)::bigint as clicked_at
    from marts.message_responses as responses
    inner join period on responses.date between period.first_date and period.last_date
    where responses.is_machine
),
names as (
    select
        event_people.channel,
        event_people.event_name,
        event_people.kind,
        count(*) - count(machines.event_id) as events,
        count(machines.event_id) as machine_clicks,
        -- People of several days do not add up: a person may appear on more than one.
        if(
            marts.counts_people(),
            count(distinct coalesce(people.person, event_people.person)) filter (machines.event_id is null),
            null
        ) as people
    from marts.event_people
    inner join period on event_people.date between period.first_date and period.last_date
    left join marts.people on event_people.person = people.weaker_id
    left join machines
        on
            event_people.kind = 'clicked'
            and event_people.date = machines.date
            and event_people.event_id = machines.event_id
            and epoch_ms(event_people.occurred_at) = machines.clicked_at
    where marts.matches('channel', event_people.channel)
    group by event_people.channel, event_people.event_name, event_people.kind
)
-- Rates divide by the successful messages of the channel, and by the people who received one.
select
    channel,
    event_name,
    events,
    round(events / sum(events) filter (kind = 'succeeded') over (partition by channel), 4) as events_per_message,
    people,
    round(people / max(people) filter (kind = 'succeeded') over (partition by channel), 4) as people_share,
    machine_clicks,
    kind
from names
order by channel, events desc, event_name;
