-- grain: one campaign, channel, metric (click or conversion) and variant, compared with the baseline variant.
-- also_in: main
--
-- Every number stays valid however often you look, so you can check tests every morning. This holds over all variants, channels and
-- metrics of a campaign together (mixture sequential probability ratio test, Bonferroni).
-- difference_low, difference_high: the interval of the difference from the baseline's rate.
-- p_value: the probability that such a difference ever occurs by chance.
-- unequal_groups_p_value: the probability that people are ever split so far from the intended split by chance.
-- compared_rate, compared_baseline_rate: the rates between which the difference is taken. People are compared only with people
-- whose first message came on the same day, because changing shares while rates rise could create a false winner. Both rates give
-- each day the same weight.
-- shares_moved_on: the day from which variants got other shares of new people although the intended split stayed the same. Messages
-- are not compared by day, because their clicks and conversions come on later days; after such a change they get no verdict.
-- unit: people if events are loaded. A person's messages are not independent, so the variance of rates by message assumes that they
-- behave as one. If people are unknown, the verdict is missing. The service counts conversions but not converting people, so
-- conversions get a verdict only if a setting gives the maximum per person.
-- people_crossed: people who got messages of two variants; they count for neither. The verdict is `people_crossed` if they are more
-- than 1%, or if more of them began with one variant than the split explains. accept_crossing prevents that verdict.
-- size_needed: the size that each side needs to show the smallest effect with the required power; null if everyone on both sides
-- succeeded.

with configured as (
    -- A campaign with settings of its own has one row with all settings.
    select
        arms.*,
        marts.lower_case(arms.names) as plain_names,
        struct_pack(arms.campaign_id, arms.channel) as test,
        if(own.campaign_id is null, general, own) as settings
    from marts.experiment_arms as arms
    inner join ops.experiments as general on general.campaign_id = 'default'
    left join ops.experiments as own on arms.campaign_id = own.campaign_id
),

judged_by as (
    select
        configured.*,
        list_has_any(marts.lower_case(coalesce(settings.hold_outs, [])), plain_names) as is_hold_out,
        -- Variants without sends are not compared.
        coalesce(succeeded, 0) > 0 and not is_hold_out as is_compared,
        last_covered.date - min(first_date) over (partition by test) + 1 as days
    from configured
    cross join (select max(date) as date from ops.coverage where stream = 'statistics') as last_covered
),

arms as (
    select
        *,
        -- The baseline is the configured variant, or else one named like a control, or else the one sent first. It sorts first.
        row_number() over (
            partition by test, is_compared
            order by
                list_contains(names, settings.baseline) desc nulls last,
                list_contains(plain_names, lower(settings.baseline)) desc nulls last,
                lower(variant_name) in ('control', '대조군') desc,
                first_date,
                variant_name,
                variant_id
        ) as place
    from judged_by
),

first_days as (
    select test, place, unnest(first_days, recursive := true)
    from arms
    where is_compared
),

-- Every compared variant on every day with first messages, with the intended split of the day.
days as (
    select
        test,
        arms.place,
        date,
        coalesce(
            list_max(list_filter(map_keys(arms.settings.split), lambda since: since <= date)),
            list_min(map_keys(arms.settings.split))
        ) as split_since,
        arms.settings.split[split_since] as shares,
        if(
            arms.settings.split is null,
            1,
            coalesce(
                shares[list_intersect(arms.names, map_keys(shares))[1]],
                list_filter(map_entries(shares), lambda one: list_contains(arms.plain_names, lower(one.key)))[1].value
            )
        ) as share,
        coalesce(first_days.people_sent, 0) as people_sent,
        coalesce(first_days.people, 0) as people,
        coalesce(first_days.clickers, 0) as clickers
    from arms
    inner join (select distinct test, date from first_days) as dates using (test)
    left join first_days using (test, place, date)
    where arms.is_compared
),

split_arms as (
    select
        test,
        split_since,
        place,
        people_sent,
        share / sum(share) over split as share,
        sum(people_sent) over split * share / sum(share) over split as expected,
        count(share) over split = count(*) over split as is_known
    from (
        select test, split_since, place, sum(people_sent) as people_sent, any_value(share) as share
        from days
        group by test, split_since, place
        -- A variant with the share 0 has ended.
        having any_value(share) is null or any_value(share) > 0
    ) as counted
    window split as (partition by test, split_since)
),

-- Each split is tested separately. On days without events, the people of all groups are unknown.
splits as (
    select
        test,
        count(*) as splits,
        if(bool_and(is_known), least(1, splits * min(p_value)), null) as unequal_groups_p_value
    from (
        select
            test,
            bool_and(is_known) as is_known,
            marts.sequential_split_p(list(people_sent order by place)::double[], list(share order by place)) as p_value
        from split_arms
        group by test, split_since
    ) as each_split
    group by test
),

expected as (
    select test, place, if(bool_and(is_known), sum(expected), null) as people
    from split_arms
    group by test, place
),

-- For each day, the people of each variant before it and from it on, under one intended split.
halves as (
    select
        test,
        place,
        date,
        coalesce(sum(people_sent) over (arm order by date rows between unbounded preceding and 1 preceding), 0) as before,
        sum(people_sent) over (arm order by date rows between current row and unbounded following) as since
    from days
    window arm as (partition by test, split_since, place)
),

turns as (
    select
        *,
        before / nullif(sum(before) over day, 0) as share_before,
        since / nullif(sum(since) over day, 0) as share_since,
        (before + since) / sum(before + since) over day as share_of_both
    from halves
    window day as (partition by test, date)
),

-- The most likely day on which shares changed, if that is significant (likelihood ratio, Bonferroni over the days).
moved as (
    select test, arg_max(date, likelihood) as date
    from (
        select
            test,
            date,
            2 * sum(
                if(before > 0, before * ln(share_before / share_of_both), 0)
                + if(since > 0, since * ln(share_since / share_of_both), 0)
            ) as likelihood,
            count(*) as variants
        from turns
        group by test, date
    ) as compared_days
    group by test
    having count(*) * marts.chi_squared_p(max(likelihood), any_value(variants) - 1) < 0.001
),

-- The campaigns whose events name a group.
grouped as (
    select distinct campaign_id
    from marts.daily_variant_people
),

tests as (
    select
        test,
        count(grouped.campaign_id) > 0 as has_groups,
        count(*) as variants,
        bool_and(coalesce(arms.people, 0) > 0) as has_people,
        coalesce(sum(arms.clickers + arms.machine_clicks), 0) > 0 or coalesce(sum(arms.clicked), 0) = 0 as has_clickers,
        sum(arms.machine_clicks)::bigint as all_machine_clicks,
        sum(arms.conversions) is not null as converts,
        coalesce(sum(arms.people_crossed), 0)::bigint as crossed,
        crossed > 0.01 * (sum(arms.people_sent) + crossed) as crosses_often,
        if(has_people, any_value(splits.unequal_groups_p_value), null) as unequal_groups_p_value,
        any_value(splits.splits) > 1 as has_splits,
        if(has_people, any_value(moved.date), null) as shares_moved_on,
        case
            when sum(arms.crossed_from) > 0 and count(expected.people) = count(*)
            then list_min(
                list_transform(
                    list_zip(list(arms.crossed_from), list(expected.people)),
                    lambda arm: marts.binomial_p(arm[1], sum(arms.crossed_from), arm[2] / sum(expected.people))
                )
            )
        end as unequal_crossing_p_value
    from arms
    left join splits using (test)
    left join moved using (test)
    left join expected using (test, place)
    left join grouped on arms.campaign_id = grouped.campaign_id
    where arms.is_compared
    group by test
),

tested_arms as (
    select
        arms.* exclude (people_crossed),
        tests.* exclude (test, crossed),
        tests.crossed as people_crossed,
        turns.share_before,
        turns.share_since
    from arms
    inner join tests using (test)
    left join turns
        on
            arms.is_compared
            and arms.test = turns.test
            and arms.place = turns.place
            and tests.shares_moved_on = turns.date
),

measures as (
    select
        'click' as metric,
        if(has_people and has_clickers, 'person', 'message') as unit,
        if(unit = 'person', people, clickable) as size,
        if(unit = 'person', clickers, greatest(0, least(clicked, clickable))) as successes,
        if(unit = 'person', 1, variance_factor) as likeness,
        tested_arms.*
    from tested_arms
    where clickable > 0
    union all by name
    -- A variant without conversions has zero if another variant has conversions.
    select
        'conversion' as metric,
        'message' as unit,
        succeeded as size,
        greatest(0, least(coalesce(conversions, 0), succeeded)) as successes,
        if(has_people, variance_factor, null) * settings.conversions_per_person as likeness,
        tested_arms.*
    from tested_arms
    where converts and succeeded > 0
),

rates as (
    select *, successes / size as rate, place = 1 and is_compared as is_baseline
    from measures
),

-- People are compared with those of the baseline whose first message came on the same day; messages with all messages. The product
-- of two sizes may exceed a bigint.
strata as (
    select test, rates.metric, place, days.date, days.people::double as size, days.clickers::double as successes
    from rates
    inner join days using (test, place)
    where rates.is_compared and rates.unit = 'person' and days.people > 0
    union all
    select test, metric, place, null, size::double, successes::double
    from rates
    where is_compared and unit = 'message'
),

-- The Mantel-Haenszel difference: each day has the weight of its information. The variance is Sato's, which is valid for few large
-- days and for many small ones (Biometrics 45, 1989); for a single day it is that of two proportions. Days are summed in order, so
-- that the last digit is the same wherever the file is read.
compared as (
    select
        variant.test,
        variant.metric,
        variant.place,
        least(sum(variant.successes), sum(baseline.successes)) as fewest_successes,
        least(sum(variant.size), sum(baseline.size)) as smallest_size,
        sum(variant.successes + baseline.successes) / sum(variant.size + baseline.size) as pooled,
        sum(weight order by variant.date) as weights,
        sum(variant.successes * baseline.size / people order by variant.date) / weights as rate,
        sum(baseline.successes * variant.size / people order by variant.date) / weights as baseline_rate,
        rate - baseline_rate as difference,
        (
            difference * sum(
                (
                    pow(variant.size, 2) * baseline.successes
                    - pow(baseline.size, 2) * variant.successes
                    + weight * people * (baseline.size - variant.size) / 2
                ) / pow(people, 2)
                order by variant.date
            )
            + sum(
                (
                    variant.successes * (baseline.size - baseline.successes)
                    + baseline.successes * (variant.size - variant.successes)
                ) / (2 * people)
                order by variant.date
            )
        ) / pow(weights, 2) as variance
    from strata as variant
    inner join strata as baseline
        on
            variant.test = baseline.test
            and variant.metric = baseline.metric
            and variant.date is not distinct from baseline.date
            and variant.place > 1
            and baseline.place = 1
    cross join lateral (select variant.size + baseline.size as people) as sums
    cross join lateral (select variant.size * baseline.size / people as weight) as each_weight
    group by variant.test, variant.metric, variant.place
),

pairs as (
    select
        variant.*,
        baseline.variant_name as baseline_name,
        coalesce(compared.rate, variant.rate) as compared_rate,
        coalesce(compared.baseline_rate, baseline.rate) as compared_baseline_rate,
        coalesce(compared.fewest_successes, 0) as fewest_successes,
        compared.smallest_size,
        greatest(variant.likeness, baseline.likeness) as widest_likeness,
        coalesce(compared.pooled, variant.rate) as pooled_rate,
        nullif(variant.settings.smallest_effect * compared_baseline_rate, 0) as smallest_difference,
        compared.difference,
        nullif(greatest(0, widest_likeness * compared.variance), 0) as variance_of_difference,
        variant.settings.smallest_effect * pooled_rate as scale,
        greatest(1, count(variance_of_difference) over (partition by variant.campaign_id)) as comparisons,
        variant.settings.alpha / comparisons as level
    from rates as variant
    inner join rates as baseline
        on variant.test = baseline.test and variant.metric = baseline.metric and baseline.is_baseline
    left join compared
        on
            variant.is_compared
            and variant.test = compared.test
            and variant.metric = compared.metric
            and variant.place = compared.place
),

tested as (
    select
        *,
        marts.sequential_half_width(variance_of_difference, scale, level) as half_width,
        -- A difference of rates is at most 1.
        if(half_width is null, null, greatest(-1, difference - half_width)) as difference_low,
        if(half_width is null, null, least(1, difference + half_width)) as difference_high,
        marts.sequential_p(difference, variance_of_difference, scale) as p_alone,
        if(p_alone is null, null, least(1, comparisons * p_alone)) as p_value,
        -- The size at which the interval around the smallest effect excludes zero with the required power.
        sqrt(1.0667 * (ln(16) - 2 * ln(level))) + marts.normal_quantile(settings.power) as reach,
        nullif(2 * widest_likeness * pooled_rate * (1 - pooled_rate) * pow(reach / smallest_difference, 2), 0) as size_needed
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
            when unit = 'message' and (has_splits or shares_moved_on is not null) then 'shares_moved'
            when coalesce(days, 0) < 7 or fewest_successes < 20 then 'too_early'
            when difference_low > 0 then 'better'
            when difference_high < 0 then 'worse'
            when greatest(-difference_low, difference_high) <= smallest_difference then 'no_difference'
            else 'inconclusive'
        end as verdict_code
    from tested
),

-- The sentences of a verdict: its own, and those that explain or qualify it.
said as (
    select
        *,
        verdict_code in ('better', 'worse', 'no_difference', 'inconclusive') as is_compared_here,
        unit = 'person' and not is_baseline and not is_hold_out as is_of_people,
        list_filter(
            [
                case
                    when verdict_code = 'people_unknown' and has_groups then 'groups_unknown'
                    when verdict_code = 'inconclusive' and size_needed is null then 'all_succeeded'
                    else verdict_code
                end,
                if(shares_moved_on is not null and verdict_code in ('unequal_groups', 'shares_moved'), 'moved_on', null),
                if(unit = 'message' and is_compared_here, 'by_message', null),
                if(people_crossed > 0 and unit = 'person' and is_compared_here, 'crossing', null),
                if(all_machine_clicks > 0 and metric = 'click' and is_of_people, 'machines', null),
                if(days_without_events > 0 and is_of_people, 'without_events', null),
                if(unequal_groups_p_value is null and is_compared_here, 'split_untested', null)
            ],
            lambda code: code is not null
        ) as codes
    from judged
),

sentences as (
    select map_from_entries(list((verdict_code, [sentence, sentence_ko]))) as of_code
    from verdict_words
),

worded as (
    select
        said.*,
        list_transform(
            [1, 2],
            lambda language: marts.fill_words(
                array_to_string([sentences.of_code[code][language] for code in said.codes], ' '),
                map {
                    'rate': marts.written_rate(compared_rate),
                    'baseline_rate': marts.written_rate(compared_baseline_rate),
                    'effect': printf('%.0f%%', 100 * settings.smallest_effect),
                    'days': format('{:d}', days),
                    'successes': format('{:,d}', fewest_successes::bigint),
                    'size': format('{:,d}', smallest_size::bigint),
                    'needed': format('{:,d}', round(ceil(size_needed), 1 - floor(log10(ceil(size_needed)))::integer)::bigint),
                    'counter': if(unit = 'person', 'people', 'messages'),
                    'counter_ko': if(unit = 'person', '명', '건'),
                    'likeness': printf('%.1f', widest_likeness),
                    'crossed': format('{:,d}', people_crossed),
                    'machine_clicks': format('{:,d}', all_machine_clicks),
                    'moved_on': [strftime(shares_moved_on, '%b %-d'), strftime(shares_moved_on, '%-m월 %-d일')][language],
                    'share_before': printf('%.0f%%', 100 * share_before),
                    'share_since': printf('%.0f%%', 100 * share_since),
                    'days_without_events': format('{:,d}', days_without_events),
                    -- Names are filled in last, because a name may contain a placeholder.
                    'variant': variant_name,
                    'baseline': baseline_name,
                    'variant_ko': marts.variant_in_korean(variant_name),
                    'baseline_ko': marts.variant_in_korean(baseline_name)
                }
            )
        ) as verdicts
    from said
    cross join sentences
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
    compared_rate,
    compared_baseline_rate,
    difference,
    difference_low,
    difference_high,
    difference / nullif(compared_baseline_rate, 0) as lift,
    p_value,
    unequal_groups_p_value,
    shares_moved_on,
    ceil(size_needed)::bigint as size_needed,
    variance_factor,
    people_crossed,
    machine_clicks,
    sent,
    days,
    days_without_events,
    verdict_code,
    verdicts[1] as verdict,
    verdicts[2] as verdict_ko
from worded;
