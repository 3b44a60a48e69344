-- title: Events per message
-- title_ko: 메시지당 이벤트
-- chart: line hour events by event_name, bar event_name events by channel
-- subject: times
-- question: How often do opens, clicks and all other events happen on each channel, per message, by how many people, at which hour or in which week?
-- question_ko: 채널별로 메시지당 오픈·클릭 등 이벤트가 얼마나, 몇 명에게서, 어느 시간대나 주에 발생하나요?
-- words: open rate per week, weekly open rate, open rate by hour, 주별 오픈율, 주간 오픈율, 시간대별 오픈율, 이메일 오픈율, 메일 오픈율, open rate, opens, openings, click-to-open, click to open rate, ctor, opens by campaign, 오픈 대비 클릭, 캠페인별 오픈율, 오픈율, 오픈률, 개봉률, 개봉율, 열람률, 오픈, 개봉
-- also: people exports event_days
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   channel (varchar, default null): only this channel, such as push-notification
--   event (varchar, default null): only this event, such as email_open
--   by (varchar, default 'event', one of event hour sent_hour week campaign): a row for each event; also for each KST hour at which it happened (without rates), KST hour at which its message was sent, week from Monday, or campaign and user journey
-- sentences:
--   select channel, sum(events) as events from answer where kind = 'clicked' and getvariable('channel') is null group by channel
--   having sum(events) > 0 qualify rank() over (order by sum(events)) = count(*) over ()
--     en: {channel} got the most clicks: {events}.
--     ko: 클릭은 {channel} 채널이 가장 많습니다({events}건).
--   from answer where click_to_open_rate is not null and hour is null and first_date is null order by people_opened desc, channel, resource_name limit 1
--     en: {channel}[[, “{resource_name}”]]: {people} people clicked and {people_opened} opened, a click-to-open rate of {click_to_open_rate}.
--     ko: {channel}[[ ‘{resource_name}’]] 오픈 {people_opened}명, 클릭 {people}명으로 오픈 대비 클릭률은 {click_to_open_rate}입니다.
--   select channel, first_date, people_share, lag(people_share) over weeks as previous_share from answer where kind = 'opened' and
--   days_held = 7 window weeks as (partition by channel, event_name order by first_date) qualify first_date = lag(first_date) over
--   weeks + 7 and people_share is not null and previous_share is not null and rank() over (order by first_date desc) = 1
--     en: {people_share} of the people with a message on {channel} opened one in the latest complete week (from {first_date}), versus
--       {previous_share} in the week before.
--     ko: {channel} 수신자 중 오픈한 비율은 데이터가 모두 있는 가장 최근 주({first_date}부터) {people_share}, 그 전주 {previous_share}입니다.
--   select 1 from answer having count(*) > 0 and getvariable('by')::varchar = 'hour'
--     en: An hour is that of the event, whenever its message was sent, so it has no rates. `by=sent_hour` has rates.
--     ko: 이벤트가 발생한 시간대입니다. 메시지를 보낸 시간대와 달라 비율은 계산하지 않습니다. 발송 시간대별 비율은 `by=sent_hour`로 볼 수 있습니다.
--     as: note
--   select sum(events) filter (hour is null) as events from answer where kind in ('opened', 'clicked', 'closed', 'delivered') and
--   getvariable('by')::varchar = 'sent_hour' having events > 0
--     en: The message of {events} {events#event|events} is unknown, so {events#its|their} hour of sending is empty.
--     ko: 이벤트 {events}건은 어느 메시지의 것인지 알 수 없어 발송 시간대가 비어 있습니다.
--     as: note
--   select 1 from answer where people_share is not null limit 1
--     en: Rates divide by the row's messages that did not fail (of its channel, campaign, week or hour), and by the people who got one.
--     ko: 비율은 그 행(채널·캠페인·주·시간대)의 발송 성공 메시지 수와 그 수신자 수로 나눈 값입니다.
--     as: note
--   with hours as (select channel, kind, hour, sum(events) as events, sum(sum(events)) over (partition by channel, kind) as of_all from
--   answer where hour is not null and getvariable('by')::varchar = 'hour' and kind in ('opened', 'clicked') group by channel, kind, hour) select channel, kind, hour, events,
--   of_all from hours where events > 0
--   window busiest as (partition by channel, kind order by events desc, hour) qualify row_number() over busiest = 1 and events -
--   lead(events, 1, 0) over busiest > 3 * sqrt(events + lead(events, 1, 0) over busiest) order by
--   of_all desc, channel, kind limit 3
--     en: The busiest hour on {channel} starts at {hour}: {events} of {of_all} times, messages were {kind} then.
--     ko: {channel} 채널의 {kind}{은/는} {hour}대에 가장 많습니다({of_all}건 중 {events}건).
--   select channel, sum(machine_clicks)::bigint as machines from answer group by channel having machines > 0
--     en: Not counted: {machines} clicks of mail scanners ({channel}).
--     ko: 메일 보안 솔루션의 자동 클릭 {machines}건은 제외했습니다({channel}).
--     as: note
--   select count(*) as days, min(date) as first_date, max(date) as last_date from ops.removed_days inner join marts.period('events',
--   days := 28) as period on date between period.first_date and period.last_date having days > 0
--     en: Not counted: the events of {days} {days#day|days} {first_date~last_date}, which retention removed.
--     ko: 보존 기간이 지나 삭제된 이벤트 {days}일분({first_date~last_date})은 집계하지 않았습니다.
--     as: note

with params as (
    select
        *,
        marts.choice('by', ['event', 'hour', 'sent_hour', 'week', 'campaign']) as rows_by
    from marts.period('events', days := 28)
),
machines as (
    select distinct
        responses.date,
        responses.event_id,
        epoch_ms(responses.sent_at) + round(1000 * responses.seconds)::bigint as clicked_at
    from marts.message_responses as responses
    inner join params on responses.date between params.first_date and params.last_date
    where responses.is_machine
),
happened as (
    select
        event_people.channel,
        event_people.event_name,
        event_people.kind,
        event_people.occurred_at,
        coalesce(event_people.campaign_id, event_people.user_journey_id) as resource_id,
        hash(event_people.channel, event_people.campaign_id, event_people.user_journey_id, event_people.user_journey_node_id) as sender,
        if(params.rows_by = 'week', date_trunc('week', event_people.date)::date, null) as first_date,
        coalesce(people.person, event_people.person) as person,
        machines.event_id is not null as is_machine,
        params.rows_by
    from marts.event_people
    inner join params on event_people.date between params.first_date and params.last_date
    left join marts.people on event_people.person = people.weaker_id
    left join machines
        on
            event_people.kind = 'clicked'
            and event_people.date = machines.date
            and event_people.event_id = machines.event_id
            and epoch_ms(event_people.occurred_at) = machines.clicked_at
    where marts.matches('channel', event_people.channel)
),
-- The message of an event is the person's last one from the same sender in the seven days before, if it was sent on these days.
events as (
    select
        happened.channel,
        happened.event_name,
        happened.kind,
        if(happened.rows_by = 'campaign', happened.resource_id, null) as resource_id,
        hour(
            case
                when happened.rows_by = 'hour' then happened.occurred_at
                when happened.occurred_at - sends.occurred_at < interval 7 days then sends.occurred_at
            end at time zone 'Asia/Seoul'
        )::integer as hour,
        happened.first_date,
        happened.person,
        happened.is_machine
    from happened
    asof left join (from happened where rows_by = 'sent_hour' and kind = 'succeeded') as sends
        on happened.person = sends.person and happened.sender = sends.sender and happened.occurred_at >= sends.occurred_at
),
-- Computed in one pass: a row for each event, and one for all events of a kind, for the rates. People of several hours or
-- days cannot be added, because a person may be in more than one.
names as (
    select
        channel,
        resource_id,
        event_name,
        kind,
        hour,
        first_date,
        grouping(event_name) = 1 as is_all,
        count(*) filter (not is_machine) as events,
        count(*) filter (is_machine) as machine_clicks,
        if(marts.counts_people(), count(distinct person) filter (not is_machine), null) as people
    from events
    group by grouping sets ((channel, resource_id, event_name, kind, hour, first_date), (channel, resource_id, kind, hour, first_date))
)
-- Rates divide by the successful messages of the same row, and by the people who received one; those who got none are no part of them.
-- The events of an hour are not those of its messages, so there are no rates by hour.
select
    names.channel,
    names.event_name,
    names.hour,
    names.first_date,
    names.events,
    round(names.events / received.events, 6) as events_per_message,
    names.people,
    round(if(names.kind like '%failed', null, names.people / received.people), 6) as people_share,
    names.machine_clicks,
    names.kind,
    resources.resource_name,
    if(names.kind = 'clicked', opened.people, null) as people_opened,
    round(if(names.kind = 'clicked', names.people / opened.people, null), 6) as click_to_open_rate,
    names.resource_id,
    if(names.first_date is null, null, marts.days_held('events', names.first_date, names.first_date + 6)) as days_held
from names
left join names as received
    on
        coalesce(getvariable('by')::varchar, '') <> 'hour'
        and names.channel is not distinct from received.channel
        and names.resource_id is not distinct from received.resource_id
        and names.hour is not distinct from received.hour
        and names.first_date is not distinct from received.first_date
        and received.is_all
        and received.kind = 'succeeded'
left join names as opened
    on
        coalesce(getvariable('by')::varchar, '') <> 'hour'
        and names.channel is not distinct from opened.channel
        and names.resource_id is not distinct from opened.resource_id
        and names.hour is not distinct from opened.hour
        and names.first_date is not distinct from opened.first_date
        and opened.is_all
        and opened.kind = 'opened'
left join (select distinct resource_id, resource_name from marts.resources) as resources on names.resource_id = resources.resource_id
where not names.is_all and marts.matches('event', names.event_name)
order by names.channel, resources.resource_name, names.resource_id, names.first_date, if(names.hour is null, names.events, 0) desc, names.event_name, names.hour;
