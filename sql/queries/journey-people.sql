-- title: People in user journeys
-- title_ko: 유저 여정 이동 현황
-- chart: bar user_journey_node_name people by user_journey_name
-- subject: journeys
-- question: How many of the people who enter a user journey reach each step, and how long does it take them?
-- question_ko: 여정에 진입한 사람 중 각 단계까지 온 사람은 몇 명이고, 얼마나 걸리나요?
-- words: journey completion, complete a journey, finish a journey, journey duration, 여정 완료
-- also: people exports excluded
-- params:
--   start (date, default last_date - 27): first KST day on which people enter; by default the range has 28 days
--   end (date, default max(date)): last KST day on which people enter; by default the latest available day
--   journey (varchar, default null): only the user journey with this id
-- sentences:
--   select user_journey_name, max(entered) as entered from answer group by user_journey_id, user_journey_name order by entered desc limit 1
--     en: {entered} people entered “{user_journey_name}”.
--     ko: ‘{user_journey_name}’에 진입한 사람은 {entered}명입니다.
--   select user_journey_name, user_journey_node_name, people, entered, share_of_entered from answer qualify row_number() over
--   (partition by user_journey_id order by step desc) = 1 and step > 1 order by entered desc limit 1
--     en: {people} of them ({share_of_entered}) reached its last step, “{user_journey_node_name}”.
--     ko: 그중 {people}명({share_of_entered})이 마지막 단계 ‘{user_journey_node_name}’까지 진행했습니다.
--   from answer where p50_seconds > 0 order by entered desc, step desc limit 1
--     en: Half of those who reached “{user_journey_node_name}” took less than {p50_seconds} from their entry.
--     ko: ‘{user_journey_node_name}’ 단계까지 진입 후 보통 {p50_seconds} 걸립니다.
--   select user_journey_name, sum(first_seen_here) as later from answer where step > 1 group by user_journey_id, user_journey_name having later > 0 and
--   user_journey_id = (select user_journey_id from answer order by entered desc limit 1)
--     en: Not counted: {later} {later#person|people} first seen at a later step of “{user_journey_name}”, who entered earlier or by another way.
--     ko: ‘{user_journey_name}’의 중간 단계에서 처음 확인된 {later}명은 집계하지 않았습니다. 더 일찍 진입했거나 다른 경로로 들어온 사람입니다.
--     as: note
--   select user_journey_name from answer where step = 1 and not has_order order by entered desc limit 1
--     en: The order of the steps of “{user_journey_name}” is estimated from their messages, because too few people were followed through it so far.
--     ko: ‘{user_journey_name}’{을/를} 처음부터 지나온 사람이 아직 적어, 단계 순서는 메시지 수로 추정했습니다.
--     as: note
--   select days_held, days from answer where days_held < days limit 1
--     en: {days_held} of the {days} days have events. Steps reached on the other days are not counted.
--     ko: {days}일 중 이벤트 데이터가 있는 {days_held}일 기준입니다. 나머지 날에 도달한 단계는 집계하지 않습니다.
--     as: note
--   select 1 from answer limit 1
--     en: People who entered recently may reach later steps in the next days. `journey-funnel` counts the messages of each step instead, whoever got them.
--     ko: 최근 진입한 사람은 며칠 뒤 다음 단계에 도달할 수 있습니다. `journey-funnel`은 진입 시점과 관계없이 단계별 메시지를 집계합니다.
--     as: note
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'events') and marts.counts_people()
--     en: Nobody entered a user journey on these days.
--     ko: 이 기간에 유저 여정에 진입한 사람이 없습니다.

with params as (
    select
        *,
        marts.days_held('events', first_date, last_date) as days_held
    from marts.period('events', days := 28)
),
visits as (
    select
        coalesce(people.person, visits.person) as person,
        visits.user_journey_id,
        visits.user_journey_node_id,
        min(visits.first_at) as first_at
    from marts.first_node_messages as visits
    left join marts.people on visits.person = people.weaker_id
    where marts.matches('journey', visits.user_journey_id)
    group by all
),
entries as (
    select person, user_journey_id, min(first_at) as entered_at, arg_min(user_journey_node_id, first_at) as entry_node_id
    from visits
    group by all
),
-- People first seen at a later step entered before the available days, or in another way.
entered as (
    select entries.*, entries.entry_node_id = first_steps.user_journey_node_id as is_entry
    from entries
    inner join params
        on (entries.entered_at at time zone 'Asia/Seoul')::date between params.first_date and params.last_date
    left join marts.journey_funnels as first_steps on entries.user_journey_id = first_steps.user_journey_id and first_steps.step = 1
),
entrants as (select user_journey_id, count(*) filter (is_entry) as entered from entered group by all),
reached as (
    select
        visits.user_journey_id,
        visits.user_journey_node_id,
        count(*) filter (entered.is_entry) as people,
        count(*) filter (entered.entry_node_id = visits.user_journey_node_id) as first_seen_here,
        median(epoch(visits.first_at) - epoch(entered.entered_at))
            filter (entered.is_entry and entered.entry_node_id <> visits.user_journey_node_id) as seconds,
        median(epoch(visits.first_at)) as middle
    from visits
    inner join entered using (person, user_journey_id)
    group by all
)
select
    journey_funnels.user_journey_name,
    row_number() over (
        partition by reached.user_journey_id order by journey_funnels.step nulls last, reached.middle, reached.user_journey_node_id
    ) as step,
    journey_funnels.user_journey_node_name,
    reached.people,
    round(reached.people / nullif(entrants.entered, 0), 6) as share_of_entered,
    reached.seconds::bigint as p50_seconds,
    reached.first_seen_here,
    entrants.entered,
    journey_funnels.typical_position is not null as has_order,
    params.days_held,
    params.last_date - params.first_date + 1 as days,
    reached.user_journey_id,
    reached.user_journey_node_id
from reached
inner join entrants on reached.user_journey_id = entrants.user_journey_id
cross join params
left join marts.journey_funnels
    on
        reached.user_journey_id = journey_funnels.user_journey_id
        and reached.user_journey_node_id = journey_funnels.user_journey_node_id
order by entrants.entered desc, reached.user_journey_id, step;
