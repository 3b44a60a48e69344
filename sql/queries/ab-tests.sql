-- title: A/B tests
-- title_ko: A/B 테스트
-- chart: interval variant_name difference difference_low difference_high by campaign_name
-- first: campaign_name variant_name content verdict verdict_code metric rate lift
-- subject: campaigns
-- question: Which variant of each A/B test is better, and is the difference significant?
-- question_ko: A/B 테스트마다 어느 안이 더 좋고, 차이가 유의미한가요?
-- words: how many tests, number of tests, 테스트 몇 개, a/b 테스트 결과, a/b test result, a/b test results, won, winner, significance, significant, 승리, 어느 쪽, A안 B안, 유의미한 차이, a/b test, ab test, split test, 승자, 이긴 안, a/b 테스트, ab 테스트, 에이비 테스트, sample ratio mismatch, srm, variant, variants, variant b, is the difference real, enough data, too early, B안, 이겼나
-- also: people excluded
-- params:
--   campaign (varchar, default null): only the campaign with this id
--   metric (varchar, default null, one of click conversion): only this metric
--   lang (varchar, default 'en', one of en ko): language of the verdict; --lang sets it too
--   goal (varchar, default null): the conversion that counts; by default the main goal of each campaign
-- given:
--   money as (select campaign_id, any_value(goal) as goal, any_value(currencies[1]) as currency from marts.revenue_days group by
--   campaign_id having coalesce(len(marts.members_of(list(currencies))), 0) <= 1),
--   sales as (select dimensions.campaign_id, coalesce(variant_names.variant_id, dimensions.dimension_value) as variant_id,
--   any_value(money.currency) as currency, min(dimensions.date) as first_date, sum(dimensions.value) filter (dimensions.conversion_type = 'sales_conversion' and
--   dimensions.metric_name = money.goal) / nullif(sum(dimensions.value) filter (dimensions.metric_type = 'standard' and
--   dimensions.metric_name = 'send_success'), 0) as revenue from campaign_metric_dimensions as dimensions inner join money using
--   (campaign_id) left join variant_names on dimensions.campaign_id = variant_names.campaign_id and dimensions.dimension_value =
--   variant_names.variant_name where dimensions.dimension_key = 'experiment_group_name' group by all),
--   named as (select *, case when metric = 'click' and unit = 'person' then 'people who clicked' when metric = 'click' then 'clicks
--   per message' when unit = 'person' then 'people who converted' else 'conversions per message' end as base_en, case when metric =
--   'click' and unit = 'person' then '클릭한 사람 비율' when metric = 'click' then '메시지당 클릭' when unit = 'person' then '전환한 사람 비율' else
--   '메시지당 전환' end as base_ko from answer),
--   winners as (select answer.*, marts.variant_in_korean(answer.variant_name) as variant_ko, baseline.variant_name as baseline_name,
--   marts.variant_in_korean(baseline.variant_name) as baseline_ko, answer.content <> baseline.content as differs, if(differs, ' (“' || answer.content ||
--   '”)', '') as content_en, if(differs, ' (“' || baseline.content || '”)', '') as other_en, if(differs, '(‘' || answer.content || '’)', '') as
--   content_ko, if(differs, '(‘' || baseline.content || '’)', '') as other_ko, '[0-9][0-9,.]*\s*(%|원|만원)' as amount_form,
--   sales.revenue > 0 and other_sales.revenue is not null as has_sales, regexp_extract(answer.content, amount_form) as amount, amount <> '' and not regexp_matches(baseline.content, amount_form) as is_offer, if(is_offer,
--   format(' Only the text of {} names an amount ({}){}.', answer.variant_name, amount, if(has_sales, ', which revenue does not subtract', '')), '') as offer_en,
--   if(is_offer, format(' {} 문구에만 금액이나 할인율(‘{}’)이 있습니다.{}', variant_ko, amount, if(has_sales, ' 위 매출은 이 금액을 빼지 않은 값입니다.', '')), '') as offer_ko,
--   if(has_sales, sales.revenue, null) as revenue, other_sales.revenue as other_revenue, if(sales.revenue >
--   other_sales.revenue, ' also', '') as also_en, if(answer.days_without_events > 0 and answer.unit = 'person', 'on days with events, ', '') as days_en,
--   if(days_en = '', '', '이벤트가 있는 날짜 기준 ') as days_ko, replace(answer.base_en, 'people who', 'of people') as of_en, sales.currency, sales.first_date from named as answer left join answer
--   as baseline on answer.campaign_id = baseline.campaign_id and answer.channel = baseline.channel and answer.metric =
--   baseline.metric and baseline.verdict_code = 'baseline' left join sales on answer.campaign_id = sales.campaign_id and
--   answer.variant_id = sales.variant_id left join sales as other_sales on baseline.campaign_id = other_sales.campaign_id and
--   baseline.variant_id = other_sales.variant_id where answer.verdict_code = 'better')
-- sentences:
--   select campaign_id, campaign_name, base_en, base_ko, days_without_events > 0 and unit = 'person' as is_partial, if(is_partial, ' on days with
--   events', '') as days_en, if(is_partial, ', 이벤트가 있는 날짜 기준', '') as days_ko, regexp_replace(verdict, ' (Not counted: sending days
--   without events \([0-9,]+\)|이벤트 데이터가 없는 발송일 [0-9,]+일은 제외했습니다)\.', '') as verdict
--   from named where verdict_code in ('better', 'worse') order by verdict_code, sent desc
--     en: In the test of “{campaign_name}” ({base_en}{days_en}), {verdict}
--     ko: ‘{campaign_name}’ A/B 테스트({base_ko}{days_ko}): {verdict}
--     as: finding
--   select count(*) as tests, nullif(count(*) filter (state = 'won'), 0) as won, nullif(count(*) filter (state = 'open'), 0) as undecided, nullif(count(*) filter (state = 'early'), 0) as
--   early, nullif(count(*) filter (state = 'invalid'), 0) as invalid, concat_ws(', ', won || ' with a winner', undecided || ' without a clear difference', early || ' without a
--   verdict', invalid || ' not valid') as parts_en, concat_ws(', ', '승자 확인 ' || won || '개', '아직 뚜렷한 차이 없음 ' || undecided || '개', '판정 전이거나 판정 불가 ' || early || '개', '신뢰할 수 없음 ' ||
--   invalid || '개') as parts_ko from (select case when bool_or(verdict_code in ('better', 'worse')) then 'won' when bool_or(verdict_code in ('unequal_groups', 'shares_moved',
--   'people_crossed')) then 'invalid' when bool_or(verdict_code in ('inconclusive', 'no_difference')) then 'open' else 'early' end as state from answer where verdict_code not in
--   ('baseline', 'alone', 'hold_out') group by campaign_id, channel) having tests > 1
--     en: {tests} tests: {parts_en}.
--     ko: 테스트 {tests}개: {parts_ko}.
--   select count(*) as comparisons from answer where verdict_code not in ('baseline', 'alone', 'hold_out') having comparisons > 0
--   and count(*) filter (verdict_code in ('better', 'worse')) = 0
--     en: No winner yet in {comparisons} {comparisons#comparison|comparisons} with a baseline.
--     ko: 기준안과 비교한 {comparisons}건 모두 아직 승자가 없습니다.
--   select count(distinct campaign_id) as campaigns from answer where verdict_code = 'unequal_groups' having campaigns > 0
--     en: Don't trust {campaigns} of the tests: the groups are unequal.
--     ko: 대상자가 계획한 비율과 다르게 나뉘어 테스트 {campaigns}건은 신뢰할 수 없습니다.
--     as: finding
--   select campaign_name, max(shares_moved_on) as day from answer where verdict_code in ('unequal_groups', 'shares_moved')
--   and shares_moved_on is not null group by campaign_name
--     en: The shares of the variants of “{campaign_name}” changed on {day}. If that was intended, enter them in `split`, each with its first day.
--     ko: ‘{campaign_name}’의 안별 비율이 {day}에 바뀌었습니다. 의도한 변경이라면 `split`에 비율을 시작일과 함께 적으세요.
--     as: finding
--   select campaign_name, max(people_crossed) as people from answer where verdict_code = 'people_crossed' group by campaign_name
--     en: The test of “{campaign_name}” has no verdict, because {people} people got messages of two variants.
--     ko: ‘{campaign_name}’에서는 {people}명이 두 안의 메시지를 모두 받아 판정하지 않았습니다.
--     as: finding
--   from winners order by sent desc
--     en: Send {variant_name} of “{campaign_name}” to everyone and end the test: {days_en}{compared_rate} {of_en} with {variant_name}{content_en},
--       {compared_baseline_rate} with {baseline_name}{other_en}, {difference:points} (95% interval {difference_low:points} to
--       {difference_high:points}).[[ Over all sends since {first_date}, {variant_name}{also_en} sold {revenue:money} per message, {baseline_name} {other_revenue:money}.]]{offer_en}
--     ko: ‘{campaign_name}’ A/B 테스트를 종료하고 전체 대상에 {variant_ko}{을/를} 적용하세요. {days_ko}{base_ko}{은/는} {variant_ko}{content_ko} {compared_rate},
--       {baseline_ko}{other_ko} {compared_baseline_rate}입니다({difference:points}, 95% 신뢰 구간 {difference_low:points}~{difference_high:points}).[[
--       {first_date}부터 전체 발송의 메시지당 매출은 {variant_ko} {revenue:money}, {baseline_ko} {other_revenue:money}입니다.]]{offer_ko}
--     as: to do
--   select 1 where not exists (from answer where verdict_code not in ('baseline', 'alone', 'hold_out'))
--     en: No A/B test to compare. A test needs two variants of a campaign on a channel that counts clicks or conversions.
--     ko: 비교할 A/B 테스트가 없습니다. 클릭이나 전환을 집계하는 채널에서 한 캠페인을 두 안으로 나누어 보내야 합니다.

-- Intervals and verdicts stay valid however often the query runs. The unit is people if events are loaded. content is the latest
-- title of a variant, or its text if titles do not differ.
with titles as (
    select
        campaign_id,
        channel,
        variant_id,
        arg_max(coalesce(message ->> 'title', message ->> 'subject'), date) as title,
        arg_max(coalesce(message ->> 'body', message ->> 'content'), date) as text
    from daily_statistics
    where variant_id is not null and message is not null
    group by all
),
contents as (
    select
        campaign_id,
        channel,
        variant_id,
        left(coalesce(if(count(distinct title) over (partition by campaign_id, channel) > 1, title, text), title), 60) as content
    from titles
)
select
    ab_tests.campaign_name,
    ab_tests.metric,
    ab_tests.variant_name,
    ab_tests.size,
    round(ab_tests.rate, 6) as rate,
    round(ab_tests.difference_low, 6) as difference_low,
    round(ab_tests.difference_high, 6) as difference_high,
    ab_tests.verdict_code,
    if(marts.choice('lang', ['en', 'ko']) = 'ko', ab_tests.verdict_ko, ab_tests.verdict) as verdict,
    ab_tests.unit,
    ab_tests.successes,
    round(ab_tests.difference, 6) as difference,
    round(ab_tests.lift, 6) as lift,
    round(ab_tests.p_value, 6) as p_value,
    ab_tests.size_needed,
    round(ab_tests.unequal_groups_p_value, 6) as unequal_groups_p_value,
    round(ab_tests.variance_factor, 2) as variance_factor,
    ab_tests.people_crossed,
    ab_tests.machine_clicks,
    round(ab_tests.compared_rate, 6) as compared_rate,
    round(ab_tests.compared_baseline_rate, 6) as compared_baseline_rate,
    ab_tests.shares_moved_on,
    ab_tests.sent,
    ab_tests.days,
    ab_tests.days_without_events,
    ab_tests.channel,
    ab_tests.campaign_id,
    ab_tests.variant_id,
    contents.content
from marts.ab_tests
left join contents
    on ab_tests.campaign_id = contents.campaign_id and ab_tests.channel = contents.channel and ab_tests.variant_id = contents.variant_id
where marts.matches('campaign', ab_tests.campaign_id) and marts.matches('metric', ab_tests.metric)
order by
    ab_tests.campaign_id, ab_tests.channel, ab_tests.metric, ab_tests.is_baseline desc, ab_tests.variant_name,
    ab_tests.variant_id;
