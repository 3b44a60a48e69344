-- title: What messages bring
-- title_ko: 메시지의 순증 효과
-- chart: interval holdout change change_low change_high by metric
-- first: holdout metric verdict_code incremental incremental_low incremental_high change p_value
-- subject: conversions and costs
-- question: How much more do people buy when they can get messages, compared with a holdout that gets none?
-- question_ko: 메시지를 받을 수 있는 고객은 미발송 그룹보다 얼마나 더 구매하나요?
-- words: control group, incremental revenue, effect of messages, incremental, incrementality, lift, holdout, 증분, 순증, 홀드아웃, 대조군, incremental lift, incremental effect, added revenue, global control group, 증분 매출, 증분 효과, 추가 매출
-- params:
--   end (date, default max(date)): last KST day that counts; by default the latest available day
--   holdout (varchar, default null): only the holdout with this name
-- given:
--   judged as (from answer where verdict_code in ('more', 'fewer', 'no_difference', 'inconclusive') and incremental_low is not null),
--   named as (from ops.holdouts where marts.matches('holdout', holdout)),
--   divided as (select holdout, count(distinct id) as people, count(distinct id) filter (arm = 'holdout') as held_out,
--   greatest(min(assigned_on), any_value(first_day)) as date from (select *, coalesce(user_id, service_user_id, device_id, service_device_id)
--   as id from own.holdouts) as people inner join named using (holdout) group by holdout),
--   waiting as (from divided where holdout not in (select holdout from answer) and date > least(getvariable('end')::date,
--   (select max(date) from ops.coverage where stream = 'statistics'))),
--   earned as (from judged where metric = 'revenue' and verdict_code = 'more'),
--   costs as (select holdout, first_date, last_date, sum(costs.cost) as cost, string_agg(distinct costs.channel, ', ' order by costs.channel) filter (costs.succeeded
--   > costs.priced) as unpriced, if(sum(costs.failover_texts) > 0, marts.days_without_texts(first_date, last_date), 0) as days_without_texts,
--   days - marts.days_held('statistics', first_date, last_date) as days_without_messages
--   from earned inner join named using (holdout) inner join marts.message_costs as costs on costs.date between earned.first_date and
--   earned.last_date where named.kind in ('audience', 'table') and earned.currency = (select any_value(currency) from ops.budget) group
--   by holdout, first_date, last_date, days having sum(costs.cost) > 0),
--   spent as (select *, unpriced is not null or days_without_texts + days_without_messages > 0 as is_partial from costs)
-- sentences:
--   select earned.*, spent.cost, if(is_partial, 'at least ', '') as least_en, if(is_partial, '최소 ', '') as least_ko from earned left join spent using (holdout) order by holdout
--     en: In {days} {days#day|days} ({first_date~last_date}), messages added {incremental:estimate} in sales (95% interval
--       {incremental_low:estimate} to {incremental_high:estimate}).[[ Sending them cost {least_en}{cost:estimate}.]]
--     ko: {days}일간({first_date~last_date}) 메시지 덕분에 매출이 {incremental:estimate}(95% 신뢰 구간 {incremental_low:estimate}~{incremental_high:estimate}) 늘었습니다.[[
--       같은 기간 메시지 발송 비용은 {least_ko}{cost:estimate}입니다.]]
--     as: finding
--   select earned.*, spent.cost, incremental_low / spent.cost as times_spent, if(is_partial, ' known', '') as known_en,
--   if(known_en = '', '', '확인된 ') as known_ko from earned inner join spent using (holdout) where incremental_low > spent.cost order by holdout
--     en: Even the low end of the interval is {times_spent:times} the{known_en} cost of sending. Costs of goods and coupons are not subtracted.
--     ko: 늘어난 매출은 신뢰 구간의 하한으로 잡아도 {known_ko}발송 비용의 {times_spent:times}입니다(상품 원가와 쿠폰 비용은 빼지 않음).
--   from judged where metric = 'buyers' and verdict_code = 'more' and holdout in (select holdout from earned) and (select count(distinct
--   holdout) from judged) = 1
--     en: {first_date~last_date}: {incremental} more people bought because of messages (95% interval {incremental_low} to {incremental_high}).
--     ko: {first_date~last_date} 구매 고객도 {incremental}명 늘었습니다(95% 신뢰 구간 {incremental_low}~{incremental_high}명).
--   select any_value(earned.currency) as currency, sum(revenue_days.revenue) as credited, any_value(first_date) as first_date,
--   any_value(last_date) as last_date from earned, marts.revenue_days where
--   revenue_days.date between earned.first_date and earned.last_date having count(distinct holdout) = 1 and
--   list_distinct(flatten(list(currencies))) = [any_value(earned.currency)]
--     en: {first_date~last_date}: the messaging service itself credits campaigns with {credited:estimate}. That leaves out user journeys and includes what
--       people would have bought anyway.
--     ko: {first_date~last_date} 메시지 서비스가 자체 집계한 캠페인 기여 매출은 {credited:estimate}입니다. 유저 여정은 빠져 있고, 메시지가 없어도 구매했을 금액은
--       포함되어 있습니다.
--   from earned order by holdout
--     en: The holdout “{holdout}” compares all {people_with_messages} people who may get messages, whether they got one or not, with {people_held_out} who get none.
--     ko: 홀드아웃 ‘{holdout}’의 발송 그룹 {people_with_messages}명(실제로 받지 않은 사람 포함)과 미발송 그룹 {people_held_out}명을 비교했습니다.
--   select *, -incremental as loss from judged where metric = 'revenue' and verdict_code = 'fewer' order by holdout
--     en: People who may get messages bought for {loss:estimate} less than they would have bought without messages (holdout
--       “{holdout}”, {first_date~last_date}).
--     ko: 메시지가 없었을 때보다 매출이 {loss:estimate} 줄었습니다(홀드아웃 ‘{holdout}’, {first_date~last_date}).
--     as: finding
--   from judged where metric = 'buyers' and verdict_code = 'more' and (holdout not in (select holdout from earned) or (select
--   count(distinct holdout) from judged) > 1) order by holdout
--     en: {incremental} more people bought because of messages {first_date~last_date} (95% interval {incremental_low} to {incremental_high};
--       holdout “{holdout}”).
--     ko: {first_date~last_date} 메시지 덕분에 구매 고객이 {incremental}명 늘었습니다(95% 신뢰 구간 {incremental_low}~{incremental_high}명, 홀드아웃
--       ‘{holdout}’).
--     as: finding
--   select *, -incremental as loss from judged where metric = 'buyers' and verdict_code = 'fewer' order by holdout
--     en: “{holdout}”: {loss} fewer people bought than would have bought without messages, {first_date~last_date}.
--     ko: 홀드아웃 ‘{holdout}’: 메시지가 없었을 때보다 구매 고객이 {loss}명 줄었습니다({first_date~last_date}).
--     as: finding
--   from judged where metric = 'revenue' and verdict_code = 'no_difference' order by holdout
--     en: Messages change revenue by less than {smallest_rate} (holdout “{holdout}”, {first_date~last_date}).
--     ko: 메시지로 인한 매출 차이는 {smallest_rate} 미만입니다(홀드아웃 ‘{holdout}’, {first_date~last_date}).
--   from judged where metric = 'revenue' and verdict_code = 'inconclusive' order by holdout
--     en: Whether messages bring revenue is still open. They earned between {incremental_low:estimate} and {incremental_high:estimate}
--       beyond what people would have bought anyway (holdout “{holdout}”, {first_date~last_date}).
--     ko: 메시지가 매출을 늘렸는지 아직 알 수 없습니다. 증분 매출의 95% 신뢰 구간은 {incremental_low:estimate}~{incremental_high:estimate}입니다(홀드아웃
--       ‘{holdout}’, {first_date~last_date}).
--   from judged where metric = 'buyers' and verdict_code = 'inconclusive' and not exists (from judged as other where
--   other.metric = 'revenue' and other.holdout = judged.holdout) order by holdout
--     en: Whether messages make people buy is still open. Between {incremental_low} and {incremental_high} people bought because of
--       them (holdout “{holdout}”, {first_date~last_date}).
--     ko: 메시지가 구매를 늘렸는지 아직 알 수 없습니다. 증분 구매 고객의 95% 신뢰 구간은 {incremental_low}~{incremental_high}명입니다(홀드아웃
--       ‘{holdout}’, {first_date~last_date}).
--   select holdout, max(people_needed) as people, any_value(smallest_rate) as smallest_rate from judged where verdict_code = 'inconclusive' and
--   people_needed > people_held_out + people_with_messages group by holdout order by holdout
--     en: A difference of {smallest_rate} needs about {people} people in “{holdout}”, divided as now.
--     ko: {smallest_rate} 차이를 확인하려면 홀드아웃 ‘{holdout}’에 지금과 같은 비율로 약 {people}명이 필요합니다.
--     as: note
--   select holdout, any_value(people_held_out) as people_held_out, any_value(days) as days, any_value(buyers_held_out) as buyers from answer
--   where verdict_code = 'too_early' and people_held_out is not null group by holdout order by holdout
--     en: Too early for “{holdout}”. A verdict needs 7 days, and 100 people and 20 buyers in each group. The holdout has {people_held_out}
--       {people_held_out#person|people} and {buyers} {buyers#buyer|buyers} after {days} {days#day|days}.
--     ko: 홀드아웃 ‘{holdout}’의 효과를 판단하기에는 이릅니다. 7일 이상, 그룹별로 100명 이상과 구매 고객 20명 이상이 필요합니다. 현재 {days}일,
--       미발송 그룹 {people_held_out}명, 구매 고객 {buyers}명입니다.
--   select * from divided where holdout in (select holdout from answer where people_held_out is null) order by holdout
--     en: Too early for “{holdout}”. {held_out} of its {people} people {held_out#gets|get} no messages; a verdict needs 100 in each group.
--     ko: 홀드아웃 ‘{holdout}’의 효과를 판단하기에는 이릅니다. 고객 {people}명 중 {held_out}명이 미발송 그룹이며, 그룹별로 100명 이상이 필요합니다.
--   from named where kind <> 'audience' and exists (from own.holdouts) and holdout not in
--   (select holdout from own.holdouts where arm = 'holdout') order by holdout
--     en: Nobody is held out by “{holdout}”. Compare the value of `holdout` or `variant` in the settings with those in the data.
--     ko: 홀드아웃 ‘{holdout}’에 미발송 그룹이 없습니다. 설정의 `holdout`이나 `variant` 값이 데이터와 같은지 확인하세요.
--   select distinct holdout from answer where verdict_code = 'unequal_groups' order by holdout
--     en: Don't trust “{holdout}”. Its groups differ from their shares more than expected by chance. Check how people are assigned.
--     ko: 홀드아웃 ‘{holdout}’의 결과는 신뢰할 수 없습니다. 두 그룹의 인원이 설정한 비율과 유의미하게 다릅니다. 배정 방법을 확인하세요.
--     as: finding
--   select distinct holdout, held_out_reached as reached, coalesce(people_held_out, held_out) as people from answer
--   left join divided using (holdout) where held_out_reached > 0 order by holdout
--     en: {reached} of {people} people held out by “{holdout}” got messages. The result understates the effect of messages.
--     ko: 홀드아웃 ‘{holdout}’의 미발송 그룹 {people}명 중 {reached}명이 메시지를 받았습니다. 메시지의 실제 효과는 집계보다 클 수 있습니다.
--     as: finding
--   select distinct holdout, reached_by, reached_by_id from answer where reached_by_id is not null and holdout not in
--   (select holdout from ops.holdouts where kind = 'campaign') order by holdout
--     en: Leave the holdout “{holdout}” out of “{reached_by}” at the service, or list {reached_by_id} under its `exempt`. `dawnload query holdout-members` lists these
--       people.
--     ko: 메시지 서비스에서 홀드아웃 ‘{holdout}’의 미발송 그룹을 ‘{reached_by}’ 대상에서 제외하거나, 설정의 `exempt`에 {reached_by_id}{을/를} 적으세요. 명단:
--       `dawnload query holdout-members`.
--     as: to do
--   select distinct holdout, people_in_both as people from answer where people_in_both > 0 order by holdout
--     en: “{holdout}” does not count {people} {people#person|people} in both groups.
--     ko: 홀드아웃 ‘{holdout}’에서 두 그룹에 모두 속한 {people}명은 집계하지 않았습니다.
--     as: note
--   select distinct holdout, people_left_out as people from answer where people_left_out > 0 and people_held_out is not null
--   order by holdout
--     en: “{holdout}” does not count {people} {people#person|people} yet, assigned with another share.
--     ko: 홀드아웃 ‘{holdout}’에서 다른 비율로 배정한 {people}명은 아직 집계하지 않았습니다.
--     as: note
--   from spent where unpriced is not null order by holdout
--     en: Message cost {first_date~last_date} leaves out messages without a price ({unpriced:channels}).
--     ko: {first_date~last_date} 메시지 비용에서 단가가 없는 메시지({unpriced:channels})는 제외했습니다.
--     as: note
--   from spent where days_without_messages > 0 order by holdout
--     en: Message cost {first_date~last_date} leaves out {days_without_messages} {days_without_messages#day|days} without statistics.
--     ko: {first_date~last_date} 메시지 비용에서 통계가 없는 {days_without_messages}일은 제외했습니다.
--     as: note
--   from spent where days_without_texts > 0 order by holdout
--     en: Message cost {first_date~last_date} leaves out texts sent instead of failed messages on {days_without_texts} {days_without_texts#day|days} without
--       events.
--     ko: {first_date~last_date} 메시지 비용에서 이벤트 데이터가 없는 {days_without_texts}일의 대체 발송 문자는 제외했습니다.
--     as: note
--   select distinct holdout from judged where is_adjusted order by holdout
--     en: The purchases of the 28 days before the assignment make the figures of “{holdout}” more precise.
--     ko: 홀드아웃 ‘{holdout}’의 수치는 배정 전 28일의 구매를 반영해 정밀도를 높였습니다.
--     as: note
--   select 1 from judged limit 1
--     en: The intervals are wider than usual ones, so that they stay valid however often you look.
--     ko: 매일 확인해도 결론이 흔들리지 않도록 신뢰 구간을 일반적인 계산보다 넓게 잡았습니다.
--     as: note
--   select 1 where not exists (from answer) and not exists (from ops.holdouts)
--     en: No holdout. Name one under `holdouts` in the settings to measure what messages bring.
--     ko: 홀드아웃이 없습니다. 메시지 효과를 측정하려면 설정의 `holdouts`에 지정하세요.
--   select 1 where not exists (from answer) and exists (from ops.holdouts) and not exists (from own.conversions)
--     en: No conversions. Name your orders under `conversions` in the settings; the next `dawnload run` loads them.
--     ko: 전환 데이터가 없습니다. 설정의 `conversions`에 주문 테이블을 지정하면 다음 `dawnload run`에서 불러옵니다.
--   from waiting where exists (from own.conversions) order by holdout
--     en: {people} {people#person|people} of “{holdout}” {people#counts|count} from {date} on. The result begins when that day is complete.
--     ko: 홀드아웃 ‘{holdout}’의 고객 {people}명은 {date}부터 집계합니다. 결과는 그날이 끝난 뒤에 나옵니다.
--   select 1 where not exists (from answer) and not exists (from waiting) and exists (from named) and exists (from own.conversions)
--     en: Nobody has been assigned to a holdout yet, or the holdout names people by another id than the conversions.
--     ko: 아직 홀드아웃에 배정한 고객이 없거나, 홀드아웃과 전환의 고객 ID가 서로 다릅니다.

-- All assigned people count, whether or not they got a message (intention to treat), from the day of their assignment to the last
-- day. If the share changed, people are compared only with people assigned with the same share; each share has the weight of its
-- people. Intervals are like those of A/B tests: valid however often you look, over both metrics together. A person's purchases
-- over time are alike, so the intervals may be wider than needed, but never narrower. CUPED removes the part of the difference
-- between people that their value in the 28 days before the assignment explains.
with params as (
    select
        least(
            coalesce(getvariable('end')::date, max(date)),
            greatest(max(date), (select max(date) from own.conversions))
        ) as last_date
    from (
        select date
        from ops.coverage
        where stream = 'statistics'
        union all
        select date
        from own.conversions
        where not exists (from ops.coverage where stream = 'statistics')
    )
),
general as (
    select alpha, power
    from ops.experiments
    where campaign_id = 'default'
),
-- People are compared by the kind of id that the purchases have. Ids are not linked by events, because people without messages have
-- none.
named_by as (
    select
        case
            when count(user_id) > 0 then 'user_id'
            when count(service_user_id) > 0 then 'service_user_id'
            when count(device_id) > 0 then 'device_id'
            else 'service_device_id'
        end as kind
    from own.conversions
),
purchases as (
    select coalesce(user_id, service_user_id, device_id, service_device_id) as person, date, value, currency
    from own.conversions
    where person is not null
),
assigned as (
    select
        numbered.holdout,
        numbered.person,
        count(distinct numbered.arm) > 1 as is_in_both,
        any_value(numbered.arm) = 'holdout' as is_held_out,
        arg_min(coalesce(numbered.share, -1), numbered.assigned_on) as share,
        greatest(min(numbered.assigned_on), any_value(holdouts.first_day)) as first_date,
        least(any_value(params.last_date), any_value(holdouts.last_day)) as last_date,
        any_value(holdouts.smallest_effect) as smallest_effect
    from (
        select
            people.*,
            case named_by.kind
                when 'user_id' then people.user_id
                when 'service_user_id' then people.service_user_id
                when 'device_id' then people.device_id
                else people.service_device_id
            end as person
        from own.holdouts as people
        cross join named_by
    ) as numbered
    inner join ops.holdouts as holdouts on numbered.holdout = holdouts.holdout
    cross join params
    where numbered.person is not null and marts.matches('holdout', numbered.holdout)
    group by numbered.holdout, numbered.person
),
members as (
    select *
    from assigned
    where not is_in_both and first_date <= last_date
),
bought as (
    select
        members.holdout,
        members.person,
        count(*) filter (purchases.date >= members.first_date) > 0 as is_buyer,
        count(*) filter (purchases.date < members.first_date) > 0 as was_buyer,
        coalesce(sum(purchases.value) filter (purchases.date >= members.first_date), 0) as revenue,
        coalesce(sum(purchases.value) filter (purchases.date < members.first_date), 0) as earlier_revenue
    from members
    inner join purchases
        on
            members.person = purchases.person
            and purchases.date between members.first_date - 28 and members.last_date
    group by members.holdout, members.person
),
sold as (
    select
        count(*) > 0 as has_conversions,
        count(value) > 0 as has_values,
        if(count(distinct currency) = 1, any_value(currency), null) as currency
    from purchases
),
metrics as (
    select
        members.holdout,
        members.share,
        members.is_held_out,
        unnest(
            [
                {
                    'metric': 'revenue',
                    'value': coalesce(bought.revenue, 0)::double,
                    'earlier': coalesce(bought.earlier_revenue, 0)::double
                },
                {
                    'metric': 'buyers',
                    'value': coalesce(bought.is_buyer, false)::integer::double,
                    'earlier': coalesce(bought.was_buyer, false)::integer::double
                }
            ],
            recursive := true
        ),
        coalesce(bought.is_buyer, false) as is_buyer
    from members
    left join bought on members.holdout = bought.holdout and members.person = bought.person
),
arms as (
    select
        holdout,
        share,
        metric,
        is_held_out,
        count(*)::double as people,
        count(*) filter (is_buyer)::double as buyers,
        avg(value) as mean,
        avg(earlier) as earlier_mean,
        var_samp(value) as variance,
        var_samp(earlier) as earlier_variance,
        covar_samp(value, earlier) as covariance
    from metrics
    group by holdout, share, metric, is_held_out
),
pairs as (
    select
        holdout,
        share,
        metric,
        coalesce(sum(people) filter (is_held_out), 0) as held_out,
        coalesce(sum(people) filter (not is_held_out), 0) as others,
        coalesce(sum(buyers) filter (is_held_out), 0) as held_out_buyers,
        coalesce(sum(buyers) filter (not is_held_out), 0) as other_buyers,
        sum(mean) filter (is_held_out) as held_out_mean,
        sum(mean) filter (not is_held_out) as others_mean,
        others_mean - held_out_mean as difference,
        sum(if(is_held_out, -1, 1) * earlier_mean) as earlier_difference,
        sum(variance / people) as variance,
        sum(earlier_variance / people) as earlier_variance,
        sum(covariance / people) as covariance,
        sum((people - 1) * earlier_variance) as earlier_squares,
        sum((people - 1) * covariance) as products,
        -- Each share is tested separately.
        if(
            share > 0 and metric = 'buyers',
            marts.sequential_split_p([held_out, others], [share, 1 - share]),
            null
        ) as split_p_value
    from arms
    group by holdout, share, metric
),
used as (
    select
        *,
        least(held_out, others) as smallest_arm,
        smallest_arm >= 2
        and (smallest_arm >= 100 or max(smallest_arm) over (partition by holdout) < 100) as is_used
    from pairs
),
slopes as (
    select
        holdout,
        metric,
        coalesce(sum(products) filter (is_used) / nullif(sum(earlier_squares) filter (is_used), 0), 0) as slope,
        sum(held_out + others) filter (is_used) as people
    from used
    group by holdout, metric
),
compared as (
    select
        used.holdout,
        used.metric,
        sum(used.others) filter (used.is_used) as people_with_messages,
        sum(used.held_out) filter (used.is_used) as people_held_out,
        sum(used.other_buyers) filter (used.is_used) as buyers_with_messages,
        sum(used.held_out_buyers) filter (used.is_used) as buyers_held_out,
        coalesce(sum(used.held_out + used.others) filter (not used.is_used), 0) as people_left_out,
        coalesce(min(used.smallest_arm) filter (used.is_used), 0) as smallest_arm,
        any_value(slopes.slope) <> 0 as is_adjusted,
        sum(weight * used.others_mean) filter (used.is_used) as mean,
        sum(weight * (used.difference - slopes.slope * used.earlier_difference)) filter (used.is_used) as difference,
        nullif(
            greatest(
                0,
                sum(
                    pow(weight, 2)
                    * (used.variance - 2 * slopes.slope * used.covariance + pow(slopes.slope, 2) * used.earlier_variance)
                ) filter (used.is_used)
            ),
            0
        ) as variance
    from used
    inner join slopes on used.holdout = slopes.holdout and used.metric = slopes.metric
    cross join lateral (select (used.held_out + used.others) / slopes.people as weight) as weights
    group by used.holdout, used.metric
),
splits as (
    select holdout, least(1, count(split_p_value) * min(split_p_value)) as unequal_groups_p_value
    from pairs
    group by holdout
),
periods as (
    select
        holdout,
        count(*) filter (is_in_both) as people_in_both,
        min(first_date) filter (not is_in_both and first_date <= last_date) as first_date,
        max(last_date) filter (not is_in_both and first_date <= last_date) as last_date,
        any_value(smallest_effect) as smallest_effect
    from assigned
    group by holdout
),
-- People whom a message reached although they should get none, by campaign or user journey.
reached as (
    select messages.holdout, messages.resource_id, messages.person
    from marts.held_out_messages as messages
    inner join params on messages.date <= params.last_date
    where marts.matches('holdout', messages.holdout)
),
sources as (
    select
        holdout,
        arg_max(resource_id, {'people': people, 'id': resource_id}) as reached_by_id
    from (
        select holdout, resource_id, count(distinct person) as people
        from reached
        group by holdout, resource_id
    ) as by_source
    group by holdout
),
contaminated as (
    select
        reached.holdout,
        count(distinct reached.person) as held_out_reached,
        any_value(sources.reached_by_id) as reached_by_id,
        coalesce(any_value(resources.resource_name), any_value(sources.reached_by_id)) as reached_by
    from reached
    inner join sources on reached.holdout = sources.holdout
    left join (select resource_id, any_value(resource_name) as resource_name from marts.resources group by resource_id) as resources
        on sources.reached_by_id = resources.resource_id
    group by reached.holdout
),
-- Assumes that true differences are spread around zero with a standard deviation of a fifth of the mean without messages.
scaled as (
    select
        compared.*,
        periods.* exclude (holdout),
        splits.unequal_groups_p_value,
        coalesce(contaminated.held_out_reached, 0) as held_out_reached,
        contaminated.reached_by,
        contaminated.reached_by_id,
        sold.currency,
        general.power,
        compared.mean - compared.difference as mean_without,
        0.2 * greatest(mean_without, compared.mean / 2) as scale,
        count(compared.variance) over (partition by compared.holdout) as comparisons,
        general.alpha / greatest(1, comparisons) as level,
        nullif(periods.smallest_effect * greatest(mean_without, 0), 0) as smallest_difference
    from compared
    inner join periods on compared.holdout = periods.holdout
    inner join splits on compared.holdout = splits.holdout
    left join contaminated on compared.holdout = contaminated.holdout
    cross join sold
    cross join general
    where sold.has_conversions and (compared.metric = 'buyers' or sold.has_values)
),
tested as (
    select
        *,
        marts.sequential_half_width(variance, scale, level) as half_width,
        difference - half_width as difference_low,
        difference + half_width as difference_high,
        least(1, comparisons * marts.sequential_p(difference, variance, scale)) as p_value,
        -- The size at which the smallest effect, minus half the width of the interval, reaches the required power.
        pow(4.2 * scale / smallest_difference, 2) as precision_needed,
        sqrt((1 + 1 / precision_needed) * (ln(1 + precision_needed) - 2 * ln(level))) + marts.normal_quantile(power) as reach,
        (people_held_out + people_with_messages) * variance * pow(reach / smallest_difference, 2) as people_needed
    from scaled
)
select
    holdout,
    metric,
    people_with_messages::bigint as people_with_messages,
    people_held_out::bigint as people_held_out,
    round(mean, 6) as mean_with_messages,
    round(mean_without, 6) as mean_without_messages,
    round(difference, 6) as difference,
    round(difference_low, 6) as difference_low,
    round(difference_high, 6) as difference_high,
    case
        when smallest_arm is null or people_held_out is null then 'too_early'
        when unequal_groups_p_value < 0.001 then 'unequal_groups'
        when smallest_arm < 100 or least(buyers_with_messages, buyers_held_out) < 20 or last_date - first_date < 6 then 'too_early'
        when difference_low > 0 then 'more'
        when difference_high < 0 then 'fewer'
        when greatest(-difference_low, difference_high) <= smallest_difference then 'no_difference'
        else 'inconclusive'
    end as verdict_code,
    round(difference * people_with_messages, if(metric = 'revenue', 2, 0)) as incremental,
    round(difference_low * people_with_messages, if(metric = 'revenue', 2, 0)) as incremental_low,
    round(difference_high * people_with_messages, if(metric = 'revenue', 2, 0)) as incremental_high,
    round(difference / nullif(greatest(mean_without, 0), 0), 6) as change,
    round(difference_low / nullif(greatest(mean_without, 0), 0), 6) as change_low,
    round(difference_high / nullif(greatest(mean_without, 0), 0), 6) as change_high,
    round(p_value, 6) as p_value,
    if(metric = 'revenue', currency, null) as currency,
    buyers_with_messages::bigint as buyers_with_messages,
    buyers_held_out::bigint as buyers_held_out,
    is_adjusted,
    smallest_effect as smallest_rate,
    -- Null if more people were needed than exist, because the mean without messages is close to zero.
    if(people_needed < 1e10, ceil(people_needed), null)::bigint as people_needed,
    round(unequal_groups_p_value, 6) as groups_p_value,
    people_in_both::bigint as people_in_both,
    people_left_out::bigint as people_left_out,
    held_out_reached,
    reached_by,
    reached_by_id,
    first_date,
    last_date,
    last_date - first_date + 1 as days
from tested
order by holdout, metric desc;
