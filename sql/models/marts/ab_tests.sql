-- grain: one campaign, channel, metric (click or conversion) and variant, compared with the baseline variant.
--
-- Tests are looked at every morning, so every number here is valid whenever and however often one looks, over all variants,
-- channels and metrics of a campaign together (mixture sequential probability ratio test, Bonferroni):
-- difference_low and difference_high: the interval of the difference from the baseline's rate.
-- p_value: the probability that chance alone ever shows such a difference. unequal_groups_p_value: the probability that chance
-- alone ever splits the observed people so far from the intended split.
-- unit: people, where events are held. Messages to one person are not independent, so the variance of rates by message assumes
-- that all messages to a person behave as one; where people are unknown, there is no verdict. The service counts conversions but
-- not converting people, so conversions get a verdict only if a setting gives the maximum per person.
-- people_crossed: people who got messages of two variants, who belong to neither. Above a hundredth of the people, or unbalanced
-- (more of them begin with one variant than the split explains), they may be why rates differ: the verdict is `people_crossed`
-- until the setting accept_crossing.
-- size_needed: how many of the unit each side needs to show the smallest effect of interest with the wanted power.

with configured as (
    -- A campaign in the configuration has one row with all settings.
    select arms.*, if(own.campaign_id is null, general, own) as settings
    from marts.experiment_arms as arms
    inner join ops.experiments as general on general.campaign_id = 'default'
    left join ops.experiments as own on arms.campaign_id = own.campaign_id
),

judged_by as (
    select
        configured.*,
        list_has_any(coalesce(settings.hold_outs, []), names) as is_hold_out,
        -- A variant without sends cannot be compared.
        coalesce(succeeded, 0) > 0 and not is_hold_out as is_compared,
        last_covered.date - min(first_date) over (partition by campaign_id, channel) + 1 as days
    from configured
    cross join (select max(date) as date from ops.coverage where stream = 'statistics') as last_covered
),

arms as (
    select
        *,
        case
            when settings.split is null then 1
            else settings.split[list_intersect(names, map_keys(settings.split))[1]]
        end as share,
        -- The baseline comes first: the configured variant, else one named as a control, else the one sent first.
        row_number() over (
            partition by campaign_id, channel, is_compared
            order by
                list_contains(names, settings.baseline) desc nulls last,
                lower(variant_name) in ('control', '대조군') desc,
                first_date,
                variant_name,
                variant_id
        ) as place
    from judged_by
),

tests as (
    select
        campaign_id,
        channel,
        count(*) as variants,
        bool_and(coalesce(people, 0) > 0) as has_people,
        coalesce(sum(clickers), 0) > 0 or coalesce(sum(clicked), 0) = 0 as has_clickers,
        sum(conversions) is not null as converts,
        coalesce(sum(people_crossed), 0)::bigint as crossed,
        crossed > 0.01 * (sum(people_sent) + crossed) as crosses_often,
        case
            -- The observed people. People of days without events are unknown in every group.
            when has_people and count(share) = count(*)
            then marts.sequential_split_p(
                list(people_sent order by place)::double[],
                list_transform(list(share order by place), lambda one: one / sum(share))
            )
        end as unequal_groups_p_value,
        case
            when sum(crossed_from) > 0 and count(share) = count(*)
            then list_min(
                list_transform(
                    list_zip(list(crossed_from order by place), list(share order by place)),
                    lambda arm: marts.binomial_p(arm[1], sum(crossed_from), arm[2] / sum(share))
                )
            )
        end as unequal_crossing_p_value
    from arms
    where is_compared
    group by campaign_id, channel
),

tested_arms as (
    select arms.* exclude (people_crossed), tests.* exclude (campaign_id, channel, crossed), tests.crossed as people_crossed
    from arms
    inner join tests on arms.campaign_id = tests.campaign_id and arms.channel is not distinct from tests.channel
),

measures as (
    select
        'click' as metric,
        if(has_people and has_clickers, 'person', 'message') as unit,
        if(unit = 'person', people, clickable) as size,
        if(unit = 'person', clickers, greatest(0, least(clicked, clickable))) as successes,
        if(unit = 'person', 1, messages_per_person) as likeness,
        tested_arms.*
    from tested_arms
    where clickable > 0
    union all by name
    -- A variant without conversions has zero if another variant has some.
    select
        'conversion' as metric,
        'message' as unit,
        succeeded as size,
        greatest(0, least(coalesce(conversions, 0), succeeded)) as successes,
        if(has_people, messages_per_person, null) * settings.conversions_per_person as likeness,
        tested_arms.*
    from tested_arms
    where converts and succeeded > 0
),

rates as (
    select *, successes / size as rate, likeness * rate * (1 - rate) / size as variance, place = 1 and is_compared as is_baseline
    from measures
),

pairs as (
    select
        variant.*,
        baseline.variant_name as baseline_name,
        baseline.rate as baseline_rate,
        least(variant.successes, baseline.successes) as fewest_successes,
        least(variant.size, baseline.size) as smallest_size,
        greatest(variant.likeness, baseline.likeness) as widest_likeness,
        (variant.successes + baseline.successes) / (variant.size + baseline.size) as pooled_rate,
        nullif(variant.settings.smallest_effect * baseline.rate, 0) as smallest_difference,
        if(variant.is_baseline or not variant.is_compared, null, variant.rate - baseline.rate) as difference,
        nullif(if(difference is null, null, variant.variance + baseline.variance), 0) as variance_of_difference,
        variant.settings.smallest_effect * pooled_rate as scale,
        greatest(1, count(variance_of_difference) over (partition by variant.campaign_id)) as comparisons,
        variant.settings.alpha / comparisons as level
    from rates as variant
    inner join rates as baseline
        on
            variant.campaign_id = baseline.campaign_id
            and variant.channel is not distinct from baseline.channel
            and variant.metric = baseline.metric
            and baseline.is_baseline
),

tested as (
    select
        *,
        marts.sequential_half_width(variance_of_difference, scale, level) as half_width,
        difference - half_width as difference_low,
        difference + half_width as difference_high,
        marts.sequential_p(difference, variance_of_difference, scale) as p_alone,
        if(p_alone is null, null, least(1, comparisons * p_alone)) as p_value,
        -- The size at which the smallest effect, less half the width of the interval, reaches the wanted power.
        sqrt(1.0667 * (ln(16) - 2 * ln(level))) + marts.normal_quantile(settings.power) as reach,
        2 * widest_likeness * pooled_rate * (1 - pooled_rate) * pow(reach / smallest_difference, 2) as size_needed
    from pairs
),

judged as (
    select
        *,
        case
            when is_hold_out then 'hold_out'
            when variants < 2 then 'alone'
            when unequal_groups_p_value < 0.001 then 'unequal_groups'
            when
                not coalesce(settings.accept_crossing, false)
                and (coalesce(crosses_often, false) or coalesce(unequal_crossing_p_value < 0.001, false))
            then 'people_crossed'
            when is_baseline then 'baseline'
            when metric = 'conversion' and settings.conversions_per_person is null then 'converters_unknown'
            when likeness is null then if(marts.counts_people(), 'people_unknown', 'people_dropped')
            when coalesce(days, 0) < 7 or fewest_successes < 20 then 'too_early'
            when difference_low > 0 then 'better'
            when difference_high < 0 then 'worse'
            when greatest(-difference_low, difference_high) <= smallest_difference then 'no_difference'
            else 'inconclusive'
        end as verdict_code
    from tested
),

worded as (
    select
        judged.*,
        list_transform(
            [
                concat_ws(' ', words.sentence, by_message.sentence, crossing.sentence, without_events.sentence, untested.sentence),
                concat_ws(
                    ' ', words.sentence_ko, by_message.sentence_ko, crossing.sentence_ko, without_events.sentence_ko, untested.sentence_ko
                )
            ],
            lambda text: marts.fill_words(
                text,
                map {
                    'rate': printf('%.2f %%', 100 * rate),
                    'baseline_rate': printf('%.2f %%', 100 * baseline_rate),
                    'effect': printf('%.0f %%', 100 * settings.smallest_effect),
                    'days': format('{:d}', days),
                    'successes': format('{:,d}', fewest_successes::bigint),
                    'size': format('{:,d}', smallest_size::bigint),
                    'needed': format('{:,d}', ceil(size_needed)::bigint),
                    'likeness': printf('%.1f', widest_likeness),
                    'crossed': format('{:,d}', people_crossed),
                    'days_without_events': format('{:,d}', days_without_events),
                    -- Names are filled in last, since their text may contain a placeholder.
                    'variant': variant_name,
                    'baseline': baseline_name
                }
            )
        ) as verdicts
    from judged
    inner join verdict_words as words on judged.verdict_code = words.verdict_code
    left join verdict_words as by_message
        on
            by_message.verdict_code = 'by_message'
            and judged.unit = 'message'
            and judged.verdict_code in ('better', 'worse', 'no_difference', 'inconclusive')
    left join verdict_words as crossing
        on
            crossing.verdict_code = 'crossing'
            and judged.people_crossed > 0
            and judged.unit = 'person'
            and judged.verdict_code in ('better', 'worse', 'no_difference', 'inconclusive')
    left join verdict_words as without_events
        on
            without_events.verdict_code = 'without_events'
            and judged.unit = 'person'
            and not judged.is_baseline
            and not judged.is_hold_out
            and judged.days_without_events > 0
    left join verdict_words as untested
        on
            untested.verdict_code = 'split_untested'
            and judged.unequal_groups_p_value is null
            and judged.verdict_code in ('better', 'worse', 'no_difference', 'inconclusive')
)

select
    campaign_id,
    campaign_name,
    channel,
    metric,
    variant_id,
    variant_name,
    is_baseline,
    baseline_name,
    unit,
    size,
    successes,
    rate,
    difference,
    difference_low,
    difference_high,
    difference / nullif(baseline_rate, 0) as lift,
    p_value,
    unequal_groups_p_value,
    ceil(size_needed)::bigint as size_needed,
    messages_per_person,
    people_crossed,
    sent,
    days,
    days_without_events,
    verdict_code,
    verdicts[1] as verdict,
    verdicts[2] as verdict_ko
from worded;
