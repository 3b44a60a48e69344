-- title: People who came back
-- title_ko: 이탈 고객 재구매
-- chart: bar resource_name bought_again by channel
-- subject: conversions and costs
-- question: How many people who had stopped buying buy again, after which messages, and how many without one?
-- question_ko: 이탈 고객 중 몇 명이 어떤 메시지를 받고 다시 구매하며, 메시지 없이 돌아온 고객은 몇 명인가요?
-- words: reactivation, 복귀 고객, churn, churned, lapsed, 이탈, 이탈률, 이탈 고객, 휴면 고객, came back, come back, inactive customers, 돌아온 고객
-- also: people exports no_conversions
-- params:
--   start (date, default last_date - 27): first KST day of messages and purchases; by default the range has 28 days
--   end (date, default max(date)): last KST day of messages and purchases; by default the latest available day
--   inactive_days (bigint, default 28, from 1): minimum days without a purchase before the first day
--   window_days (bigint, default 14, from 1): days after a message within which a purchase counts
-- given:
--   asked as (select first_date, coalesce(getvariable('inactive_days')::bigint, 28)::integer as days, (select min(date) from own.conversions)
--   as first_bought from marts.period('events', days := 28))
-- sentences:
--   from answer where got = 'any_message' and people > 0
--     en: {people} of {lapsed_people} people without a purchase for {inactive_days} {inactive_days#day|days} got a message.
--     ko: {inactive_days}일 이상 구매하지 않은 고객 {lapsed_people}명 중 {people}명이 메시지를 받았습니다.
--   from answer where got = 'any_message' and bought_again > 0
--     en: {bought_again} of them ({bought_again_share}) bought again within {window_days} {window_days#day|days}.
--     ko: 그중 {bought_again}명({bought_again_share})이 메시지를 받고 {window_days}일 안에 다시 구매했습니다.
--   from answer where got = 'any_message' and people > 0 and bought_again = 0
--     en: None of them bought again within {window_days} {window_days#day|days}.
--     ko: 메시지를 받고 {window_days}일 안에 다시 구매한 고객은 없습니다.
--   from answer where got = 'message' and resource_name is not null and bought_again > 0 order by bought_again desc, people, resource_name, channel
--   limit 1
--     en: “{resource_name}” has the most of them: {bought_again} of the {people} people who got it.
--     ko: 재구매 고객은 ‘{resource_name}’{을/를} 받은 쪽이 가장 많습니다(수신 고객 {people}명 중 {bought_again}명).
--   from answer where got = 'any_message' and people = 0
--     en: None of {lapsed_people} people without a purchase for {inactive_days} {inactive_days#day|days} got a message.
--     ko: {inactive_days}일 이상 구매하지 않은 고객 {lapsed_people}명 중 메시지를 받은 고객이 없습니다.
--   from answer where got = 'nothing' and people > 0
--     en: {bought_again} of {people} ({bought_again_share}) came back without a message.
--     ko: 메시지를 받지 않은 고객 {people}명 중에서는 {bought_again}명({bought_again_share})이 돌아왔습니다.
--   select 1 from answer where got = 'any_message' and people > 0 and not exists (from ops.holdouts)
--     en: A purchase after a message may have another cause. A holdout would show what messages bring.
--     ko: 메시지 이후의 구매에는 다른 원인이 있을 수 있습니다. 메시지의 효과는 홀드아웃을 설정해야 알 수 있습니다.
--     as: note
--   select 1 from answer where got = 'any_message' and people > 0 and exists (from ops.holdouts)
--     en: A purchase after a message may have another cause. `uplift` shows what messages bring, by your holdout.
--     ko: 메시지 이후의 구매에는 다른 원인이 있을 수 있습니다. 메시지의 효과는 `uplift`에서 홀드아웃으로 확인하세요.
--     as: note
--   select days_held, days from answer where days_held < days limit 1
--     en: Only {days_held} of the {days} days have events, so more of these people may have got a message.
--     ko: {days}일 중 이벤트 데이터가 있는 {days_held}일 기준이어서 메시지를 받은 고객은 더 많을 수 있습니다.
--     as: note
--   select first_date as day from asked where not exists (from answer) and first_bought > first_date - days
--     en: The purchases begin too late to tell who had stopped buying by {day:day}. Choose a later start, or fewer `inactive_days`.
--     ko: 구매 데이터가 늦게 시작되어 {day:day}에 누가 이탈 고객인지 알 수 없습니다. 시작일을 늦추거나 `inactive_days`를 줄여 보세요.
--   select days from asked where not exists (from answer) and first_bought <= first_date - days
--     en: On the first day, no customer had gone {days} {days#day|days} without a purchase.
--     ko: 시작일 기준으로 {days}일 이상 구매하지 않은 고객이 없습니다.

with params as (
    select
        *,
        coalesce(getvariable('inactive_days')::bigint, 28) as inactive_days,
        coalesce(getvariable('window_days')::bigint, 14) as window_days,
        marts.days_held('events', first_date, last_date) as days_held
    from marts.period('events', days := 28)
),
-- People who had bought, but not lately, and their first purchase afterwards.
lapsed as (
    select
        conversions.person,
        max(conversions.date) filter (conversions.date < params.first_date) as last_bought,
        epoch_us(min(conversions.converted_at) filter (conversions.date >= params.first_date)) as returned_us,
        arg_min(conversions.value, conversions.converted_at) filter (conversions.date >= params.first_date) as value
    from marts.conversion_people as conversions
    inner join params on conversions.date <= params.last_date
    where conversions.person is not null
    group by conversions.person, params.first_date, params.inactive_days
    having last_bought <= params.first_date - params.inactive_days::integer
),
-- Only messages before the return may have caused it.
touched as (
    select
        lapsed.person,
        any_value(lapsed.returned_us) as returned_us,
        any_value(lapsed.value) as value,
        touches.channel,
        touches.resource_type,
        coalesce(touches.campaign_id, touches.user_journey_id) as resource_id,
        max(epoch_us(touches.occurred_at)) as touched_us
    from marts.event_people as touches
    inner join params on touches.date between params.first_date and params.last_date
    left join marts.people on touches.person = people.weaker_id
    inner join lapsed on coalesce(people.person, touches.person) = lapsed.person
    where
        touches.occurred_at is not null
        and marts.is_reaching(touches.kind, touches.channel)
        and (lapsed.returned_us is null or epoch_us(touches.occurred_at) <= lapsed.returned_us)
    group by all
),
outcomes as (
    select 'message' as got, person, channel, resource_type, resource_id, touched_us, returned_us, value
    from touched
    union all by name
    select 'any_message' as got, person, max(touched_us) as touched_us, any_value(returned_us) as returned_us, any_value(value) as value
    from touched
    group by person
    union all by name
    select 'nothing' as got, lapsed.person, lapsed.returned_us, lapsed.value
    from lapsed
    anti join touched on lapsed.person = touched.person
),
timed as (
    select
        outcomes.*,
        (outcomes.returned_us - outcomes.touched_us) / 86_400_000_000 as days_after,
        outcomes.returned_us is not null and (outcomes.got = 'nothing' or days_after <= params.window_days) as is_back
    from outcomes
    cross join params
),
counted as (
    select
        got,
        channel,
        resource_type,
        resource_id,
        count(*) as people,
        count(*) filter (is_back) as bought_again,
        median(days_after) filter (is_back) as days_after,
        sum(value) filter (is_back) as revenue
    from timed
    group by all
    union all by name
    select missing.got, 0 as people, 0 as bought_again
    from (values ('any_message'), ('nothing')) as missing (got)
    where exists (from lapsed) and missing.got not in (select got from timed)
)
select
    counted.got,
    resources.resource_name,
    counted.channel,
    counted.people,
    counted.bought_again,
    round(counted.bought_again / nullif(counted.people, 0), 6) as bought_again_share,
    round(counted.days_after, 1) as p50_days_after,
    round(counted.revenue, 2) as revenue,
    (select any_value(currency) from own.conversions) as currency,
    (select count(*) from lapsed) as lapsed_people,
    params.inactive_days,
    params.window_days,
    params.days_held,
    params.last_date - params.first_date + 1 as days,
    counted.resource_type,
    counted.resource_id
from counted
cross join params
left join marts.resources on counted.resource_id = resources.resource_id and counted.resource_type = resources.resource_type
order by counted.got, counted.bought_again desc, counted.people desc, resources.resource_name, counted.channel, counted.resource_id;
