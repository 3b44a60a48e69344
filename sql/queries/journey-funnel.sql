-- title: User journeys as funnels
-- title_ko: 유저 여정 퍼널
-- chart: bar user_journey_node_name sent by user_journey_name
-- first: user_journey_name step user_journey_node_name sent share_of_first drop_off click_rate conversion_rate
-- subject: journeys
-- question: Where do people drop out of each user journey?
-- question_ko: 유저 여정마다 어느 단계에서 이탈하나요?
-- words: journey conversion, step conversion, drop off, drop-off, drop out, dropouts, where do people drop out, step by step, 여정 이탈, 여정 단계, 단계별 이탈
-- also: excluded
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   journey (varchar, default null): only the user journey with this id
--   goal (varchar, default null): the conversion that counts; by default the main goal of each user journey
-- given:
--   visits as (select user_journey_id, user_journey_node_id as node, lead(user_journey_node_id) over (partition by user_journey_id,
--   person order by first_at, user_journey_node_id) as next from marts.first_node_messages where user_journey_id in (select
--   user_journey_id from answer) qualify min(date) over (partition by user_journey_id, person) >= (select min(date) + 14 from
--   ops.coverage where stream = 'events')),
--   nexts as (select user_journey_id, node, next, count(*) / sum(count(*)) over (partition by user_journey_id, node) as share,
--   sum(count(*)) over (partition by user_journey_id, node) as people from visits where next is not null group by user_journey_id,
--   node, next)
-- sentences:
--   select steps.* from (select *, lag(user_journey_node_id) over (partition by user_journey_id order by step) as node from answer) as
--   steps inner join nexts on steps.user_journey_id = nexts.user_journey_id and steps.node = nexts.node and
--   steps.user_journey_node_id = nexts.next where drop_off > 0 and share >= 0.9 and people >= 30 order by drop_off desc limit 1
--     en: The largest drop in “{user_journey_name}” is before “{user_journey_node_name}”: {drop_off} fewer messages than in the
--       previous step.
--     ko: ‘{user_journey_name}’에서 가장 크게 줄어든 단계는 ‘{user_journey_node_name}’입니다. 직전 단계보다 메시지가 {drop_off} 적습니다.
--   from answer where drop_off > 0 and not exists (from nexts where nexts.user_journey_id = answer.user_journey_id and people >= 30)
--   order by drop_off desc limit 1
--     en: The largest drop in “{user_journey_name}” is before “{user_journey_node_name}”: {drop_off} fewer messages than in the
--       previous step. More than two weeks of events are needed to see whether people left or took another branch.
--     ko: ‘{user_journey_name}’에서 가장 크게 줄어든 단계는 ‘{user_journey_node_name}’입니다. 직전 단계보다 메시지가 {drop_off} 적습니다. 이벤트 데이터가 2주 넘게 쌓이면
--       이탈인지 다른 경로로 간 것인지 알 수 있습니다.
--   select list(user_journey_node_name order by user_journey_name, step) as steps, count(*) as number from answer where channels = 'webhook' and user_journey_node_name is not null having
--   number > 0
--     en: The webhook {number#step|steps} {steps} {number#calls a system and sends|call systems and send} nothing to people.
--     ko: 웹훅 단계 {steps}{은/는} 시스템을 호출할 뿐 고객에게 발송하지 않습니다.
--     as: note
--   select count(distinct user_journey_id) as journeys from answer having journeys > 0
--     en: {journeys} user {journeys#journey|journeys} sent messages in this period.
--     ko: 이 기간에 메시지를 보낸 유저 여정은 {journeys}개입니다.
--   with ranked as (select *, row_number() over (partition by user_journey_id, node order by share desc, next) as place from nexts
--   where people >= 30) select here.user_journey_name, here.user_journey_node_name as node, one.user_journey_node_name as first_node,
--   a.share, two.user_journey_node_name as second_node, b.share as second_share from ranked as a inner join ranked as b on
--   a.user_journey_id = b.user_journey_id and a.node = b.node and a.place = 1 and b.place = 2 and b.share >= 0.1 inner join answer as
--   here on a.user_journey_id = here.user_journey_id and a.node = here.user_journey_node_id inner join answer as one on
--   a.user_journey_id = one.user_journey_id and a.next = one.user_journey_node_id inner join answer as two on b.user_journey_id =
--   two.user_journey_id and b.next = two.user_journey_node_id order by a.people desc limit 2
--     en: People split after “{node}” in “{user_journey_name}”: {share} go to “{first_node}”, {second_share} to “{second_node}”.
--       Fewer messages in one branch are not a loss.
--     ko: ‘{user_journey_name}’의 ‘{node}’ 다음에는 경로가 갈라집니다. {share}는 ‘{first_node}’, {second_share}는 ‘{second_node}’{으로/로} 갑니다. 한쪽의
--       메시지가 적어도 이탈이 아닙니다.
--   select 1 from answer limit 1
--     en: Funnels compare messages in one period, not the same people. A step with fewer messages may have people who wait or took
--       another branch. `journey-people` follows people from their entry.
--     ko: 퍼널은 같은 기간에 발송한 메시지를 비교합니다. 메시지가 적은 단계에는 대기 중이거나 다른 경로로 간 사람이 있을 수 있습니다. 사람 기준 이동은 `journey-people`에서 볼 수 있습니다.
--     as: note
--   select 1 where not exists (from answer)
--     en: No user journey sent messages in this period.
--     ko: 이 기간에 메시지를 보낸 유저 여정이 없습니다.

with period as (from marts.period('statistics', days := 28)),
nodes as (
    select
        message_days.user_journey_id,
        message_days.user_journey_node_id,
        list_sort(list(distinct message_days.channel) filter (message_days.channel is not null)) as channels,
        unnest(marts.performance(message_days))
    from marts.message_days
    inner join period on message_days.date between period.first_date and period.last_date
    where
        message_days.user_journey_id is not null
        and marts.matches('journey', message_days.user_journey_id)
    group by message_days.user_journey_id, message_days.user_journey_node_id
),
-- Nodes are in the order of people's first messages over all loaded days. A node that started during the range had less time to
-- send.
steps as (
    select
        nodes.*,
        journey_funnels.user_journey_name,
        journey_funnels.user_journey_node_name,
        journey_funnels.began_on,
        row_number() over funnel as step,
        nodes.sent / nullif(first_value(nodes.sent) over funnel, 0) as share_of_first,
        nodes.sent / nullif(lag(nodes.sent) over funnel, 0) as share_of_previous
    from nodes
    inner join marts.journey_funnels
        on
            nodes.user_journey_id = journey_funnels.user_journey_id
            and nodes.user_journey_node_id is not distinct from journey_funnels.user_journey_node_id
    window funnel as (partition by nodes.user_journey_id order by journey_funnels.step)
)
select
    steps.user_journey_name,
    steps.step,
    steps.user_journey_node_name,
    steps.sent,
    round(steps.share_of_first, 6) as share_of_first,
    round(if(steps.share_of_previous <= 1, 1 - steps.share_of_previous, null), 6) as drop_off,
    round(steps.click_rate, 6) as click_rate,
    coalesce(steps.began_on > period.first_held and steps.began_on >= period.first_date, false) as is_new,
    round(steps.conversion_rate, 6) as conversion_rate,
    array_to_string(steps.channels, ', ') as channels,
    steps.failed,
    steps.delivered,
    steps.clicked,
    steps.conversions,
    steps.began_on,
    steps.user_journey_id,
    steps.user_journey_node_id
from steps
cross join period
order by steps.user_journey_id, steps.step;
