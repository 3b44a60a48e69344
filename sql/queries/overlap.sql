-- title: Who gets both
-- title_ko: 수신자가 겹치는 캠페인
-- chart: bar resource_or_channel common_people by other
-- subject: people
-- question: Which campaigns and user journeys reach the same people?
-- question_ko: 같은 사람에게 가는 캠페인과 유저 여정은 무엇인가요?
-- words: same people, 겹치는 고객, 타깃 중복
-- also: people exports event_days
-- params:
--   start (date, default last_date - 27): first KST day; by default the range has 28 days
--   end (date, default max(date)): last KST day; by default the latest available day
--   by (varchar, default 'resource', one of resource channel): what is compared: campaigns and user journeys, or channels
--   campaign (varchar, default null): only pairs with the campaign or user journey of this id
--   least_people (bigint, default 30): minimum number of people on either side
-- sentences:
--   select *, least(people, other_people) as smaller from answer limit 1
--     en: Compared with chance, “{resource_or_channel:channel}” and “{other:channel}” overlap the most: {common_people} people got both, {share_of_smaller} of the smaller one’s
--       {smaller}.
--     ko: 우연히 겹칠 수준과 비교하면 ‘{resource_or_channel:channel}’{과/와} ‘{other:channel}’의 수신자가 가장 많이 겹칩니다. 둘 다 받은 사람은 {common_people}명으로, 수신자가 적은
--       쪽({smaller}명)의 {share_of_smaller}입니다.
--   select count(*) as pairs, if((select count(*) from answer) = 100, 'at least ', '') as least_en,
--   if((select count(*) from answer) = 100, '최소 ', '') as least_ko
--   from answer where share_of_smaller > expected_share_of_smaller * 1.5 and share_of_smaller >= 0.5 having
--   pairs > 0
--     en: In {least_en}{pairs} {pairs#pair|pairs}, at least half of the smaller audience is shared. That is far more than if audiences were picked
--       at random.
--     ko: 수신자가 절반 이상 겹치는(적은 쪽 기준) 조합이 {least_ko}{pairs}개입니다. 대상을 무작위로 골랐을 때보다 훨씬 많이 겹칩니다.
--   select 1 where not exists (from answer) and exists (from ops.coverage where stream = 'events') and marts.counts_people()
--     en: No two of them have enough people to compare.
--     ko: 비교할 만큼 수신자가 많은 조합이 없습니다.

with params as (
    select
        *,
        marts.choice('by', ['resource', 'channel']) as dimension,
        coalesce(getvariable('least_people')::bigint, 30) as least_people,
        marts.days_held('events', first_date, last_date) as days_held
    from marts.period('events', days := 28)
),
audience as (
    select distinct
        coalesce(people.person, daily_people.person) as person,
        if(
            params.dimension = 'channel',
            daily_people.channel,
            coalesce(daily_people.campaign_id, daily_people.user_journey_id)
        ) as id
    from marts.daily_people
    inner join params on daily_people.date between params.first_date and params.last_date
    left join marts.people on daily_people.person = people.weaker_id
    where daily_people.messages + daily_people.shown > 0
),
sizes as (
    select id, count(*) as people
    from audience
    where id is not null
    group by id
    having people >= (select least_people from params)
),
everyone as (select count(distinct person) as people from audience),
shared as (
    select one.id as one_id, other.id as other_id, count(*) as common_people
    from (from audience semi join sizes using (id)) as one
    inner join (from audience semi join sizes using (id)) as other on one.person = other.person and one.id < other.id
    where marts.matches('campaign', one.id) or marts.matches('campaign', other.id)
    group by all
),
names as (
    select campaign_id as id, campaign_name as name
    from campaigns
    union all
    select user_journey_id, user_journey_name
    from user_journeys
)
select
    coalesce(one_name.name, shared.one_id) as resource_or_channel,
    coalesce(other_name.name, shared.other_id) as other,
    one_size.people,
    other_size.people as other_people,
    shared.common_people,
    round(shared.common_people / least(one_size.people, other_size.people), 6) as share_of_smaller,
    -- The share that two audiences of these sizes would have in common by chance.
    round(greatest(one_size.people, other_size.people) / everyone.people, 6) as expected_share_of_smaller,
    params.days_held,
    params.last_date - params.first_date + 1 as days,
    shared.one_id as resource_id,
    shared.other_id
from shared
cross join params
cross join everyone
inner join sizes as one_size on shared.one_id = one_size.id
inner join sizes as other_size on shared.other_id = other_size.id
left join names as one_name on shared.one_id = one_name.id
left join names as other_name on shared.other_id = other_name.id
-- Pairs that share more people than expected by chance come first.
order by share_of_smaller - expected_share_of_smaller desc, shared.common_people desc, shared.one_id, shared.other_id
limit 100;
