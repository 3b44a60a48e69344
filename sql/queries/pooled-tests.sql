-- title: A/B tests combined
-- title_ko: A/B 테스트 통합 분석
-- chart: interval tag_or_word lift lift_low lift_high by metric
-- subject: campaigns
-- question: What do the A/B tests with one tag, or with one word in the names of their variants, show together?
-- question_ko: 태그가 같거나 테스트안 이름에 같은 단어가 있는 A/B 테스트를 합치면 결과가 어떤가요?
-- words: significance, 유의미한 차이
-- also: people excluded
-- params:
--   word (varchar, default null): a word in the names of variants, such as emoji; they are compared with the variants without it
--   tag (varchar, default null): only tests of campaigns with this tag
--   metric (varchar, default 'click', one of click conversion): what counts as success
-- given:
--   said as (select *, if(metric = 'click', 'clicks', 'conversions') as rate_en, if(metric = 'click', '클릭률', '전환율') as rate_ko
--   from answer where tests > 1 order by tests desc, tag_or_word)
-- sentences:
--   from said where verdict_code = 'better' limit 3
--     en: Variants win in the tests of “{tag_or_word}”: {lift:change} {rate_en} over {tests} tests
--       ({lift_low:change} to {lift_high:change}).
--     ko: ‘{tag_or_word}’ 테스트 {tests}건을 합치면 {rate_ko}{이/가} 기준안 대비 {lift:change}입니다({lift_low:change}~{lift_high:change}).
--     as: finding
--   from said where verdict_code = 'worse' limit 3
--     en: Variants lose in the tests of “{tag_or_word}”: {lift:change} {rate_en} over {tests} tests
--       ({lift_low:change} to {lift_high:change}).
--     ko: ‘{tag_or_word}’ 테스트 {tests}건을 합치면 {rate_ko}{이/가} 기준안 대비 {lift:change}입니다({lift_low:change}~{lift_high:change}).
--     as: finding
--   select count(*) as groups from said having groups > 0 and count(*) filter (verdict_code in ('better', 'worse')) = 0
--     en: No effect is clear, even with all tests of a tag or word combined.
--     ko: 테스트를 모두 합쳐도 뚜렷한 차이가 없습니다.
--   from said where differing_share >= 0.5 limit 3
--     en: The tests of “{tag_or_word}” differ from one another, so their common effect says little about the next test.
--     ko: ‘{tag_or_word}’ 테스트끼리 결과가 크게 달라, 합친 결과로 다음 테스트를 예상하기 어렵습니다.
--     as: note
--   select 1 from answer limit 1
--     en: An effect is relative to the baseline, or to the variants without the word. Tests without valid groups are left out.
--     ko: 차이는 기준안과 비교한 값입니다(단어를 지정하면 그 단어가 없는 안이 기준). 그룹 배분이 잘못된 테스트는 제외했습니다.
--     as: note
--   select 1 where not exists (from answer)
--     en: No A/B tests to combine.
--     ko: 합칠 A/B 테스트가 없습니다.

with arms as (
    select *, if(unit = 'person', 1, greatest(1, coalesce(variance_factor, 1))) as likeness
    from marts.ab_tests
    where metric = marts.choice('metric', ['click', 'conversion'])
),
pairs as (
    select
        variant.campaign_id,
        variant.channel,
        variant.verdict_code,
        contains(lower(variant.variant_name), lower(getvariable('word')::varchar)) as has_word,
        contains(lower(baseline.variant_name), lower(getvariable('word')::varchar)) as baseline_has_word,
        -- The logarithm of the ratio of two rates, compared by day as in ab-tests, and its variance. Half a success is added,
        -- because a variant may have none.
        variant.compared_rate * variant.size + 0.5 as won,
        variant.compared_baseline_rate * baseline.size + 0.5 as baseline_won,
        ln(won / (variant.size + 0.5)) - ln(baseline_won / (baseline.size + 0.5)) as effect,
        variant.likeness * (1 / won - 1 / (variant.size + 0.5))
        + baseline.likeness * (1 / baseline_won - 1 / (baseline.size + 0.5)) as variance,
        variant.size + baseline.size as size
    from arms as variant
    inner join arms as baseline
        on
            variant.campaign_id = baseline.campaign_id
            and variant.channel = baseline.channel
            and baseline.is_baseline
            and not variant.is_baseline
    where variant.verdict_code in ('better', 'worse', 'no_difference', 'inconclusive', 'too_early')
),
grouped as (
    select getvariable('word')::varchar as tag_or_word, * replace (if(has_word, effect, -effect) as effect)
    from pairs
    where has_word <> baseline_has_word
    union all
    select campaign_tags.tag, pairs.*
    from pairs
    inner join campaign_tags on pairs.campaign_id = campaign_tags.campaign_id
    where getvariable('word') is null
),
-- Effects differ from test to test. The variation beyond chance makes the interval wider (DerSimonian-Laird).
fixed as (
    select
        tag_or_word,
        count(*) as comparisons,
        sum(effect / variance) / sum(1 / variance) as common,
        sum(effect * effect / variance) - pow(sum(effect / variance), 2) / sum(1 / variance) as spread,
        sum(1 / variance) - sum(1 / pow(variance, 2)) / sum(1 / variance) as scale
    from grouped
    group by tag_or_word
),
pooled as (
    select
        grouped.tag_or_word,
        count(distinct (grouped.campaign_id, grouped.channel)) as tests,
        any_value(fixed.comparisons) as comparisons,
        count(*) filter (grouped.effect > 0) as ahead,
        any_value(if(fixed.comparisons > 1, greatest(0, 1 - (fixed.comparisons - 1) / nullif(fixed.spread, 0)), null)) as differing_share,
        sum(grouped.effect / (grouped.variance + between_tests)) / sum(1 / (grouped.variance + between_tests)) as effect,
        1 / sqrt(sum(1 / (grouped.variance + between_tests))) as error,
        sum(grouped.size)::bigint as size
    from grouped
    inner join fixed on grouped.tag_or_word = fixed.tag_or_word
    cross join lateral (
        select coalesce(greatest(0, (fixed.spread - (fixed.comparisons - 1)) / nullif(fixed.scale, 0)), 0) as between_tests
    ) as differences
    group by grouped.tag_or_word
)
select
    tag_or_word,
    tests,
    ahead,
    comparisons,
    round(exp(effect) - 1, 6) as lift,
    -- Three standard errors, because people check tests every morning.
    round(exp(effect - 3 * error) - 1, 6) as lift_low,
    round(exp(effect + 3 * error) - 1, 6) as lift_high,
    case
        when effect - 3 * error > 0 then 'better'
        when effect + 3 * error < 0 then 'worse'
        else 'unclear'
    end as verdict_code,
    round(differing_share, 6) as differing_share,
    size,
    marts.choice('metric', ['click', 'conversion']) as metric
from pooled
where marts.matches('tag', tag_or_word) or getvariable('word') is not null
order by tests desc, tag_or_word;
