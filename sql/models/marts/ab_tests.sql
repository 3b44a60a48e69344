-- grain: one campaign, channel, metric (click or conversion) and variant, held against the first variant by name.
--
-- difference: the rate less that of the first variant, with its 95 % interval (Newcombe's, of two Wilson intervals).
-- p_value: how often chance alone shows such a difference (two proportions, two-sided).
-- guarded_p_value: the same, held back while the test is young and multiplied by the comparisons of the test (Bonferroni).
-- Those who look every morning find a "winner" sooner or later: until the messages suffice to show a difference of a fifth
-- (80 % power), the evidence must be as much stronger as they are fewer (O'Brien and Fleming's boundary).
-- unequal_groups_p_value: how often equal groups come out as unequal as these (chi-squared); the service does not tell the
-- split that was asked for, so one other than equal shows here too.

with arms as (
    select
        campaign_id,
        max(campaign_name) as campaign_name,
        channel,
        variant_id,
        arg_max(variant_name, date) as variant_name,
        min(date) as first_date,
        max(date) as last_date,
        sum(sent)::bigint as sent,
        sum(clickable)::bigint as clickable,
        sum(clicked)::bigint as clicked,
        sum(succeeded)::bigint as succeeded,
        sum(conversions)::bigint as conversions
    from marts.message_days
    where variant_id is not null and campaign_id is not null
    group by campaign_id, channel, variant_id
),

tests as (
    select
        campaign_id,
        channel,
        count(*) as variants,
        max(last_date) - min(first_date) + 1 as days,
        sum(sent) as sent,
        sum(sent * sent) as squares,
        sum(conversions) is not null as converts
    from arms
    group by campaign_id, channel
),

-- Chi-squared with one degree of freedom less than there are variants.
groups as (
    select
        *,
        case when variants > 1 and sent > 0 then (squares * variants / sent - sent)::double end as chi_squared,
        variants - 1 as freedom
    from tests
),

measures as (
    select arms.*, 'click' as metric, clickable as messages, least(clicked, clickable) as successes
    from arms
    where clickable > 0
    union all by name
    -- A variant without a conversion is one on which nobody converted, if anybody did on another.
    select arms.*, 'conversion' as metric, succeeded as messages, least(coalesce(conversions, 0), succeeded) as successes
    from arms
    inner join tests using (campaign_id, channel)
    where tests.converts and succeeded > 0
),

-- Wilson's interval of each rate, at 95 %.
rates as (
    select
        * exclude (clickable, clicked, succeeded, conversions),
        successes / messages as rate,
        (rate + 3.8415 / (2 * messages)) / (1 + 3.8415 / messages) as middle,
        1.96 * sqrt(rate * (1 - rate) / messages + 3.8415 / (4.0 * messages * messages)) / (1 + 3.8415 / messages) as half,
        row_number() over (
            partition by campaign_id, channel, metric
            order by variant_name, variant_id
        ) as place
    from measures
),

pairs as (
    select
        variant.campaign_id,
        variant.campaign_name,
        variant.channel,
        variant.metric,
        variant.variant_id,
        variant.variant_name,
        variant.place = 1 as is_baseline,
        baseline.variant_name as baseline_name,
        groups.days,
        groups.variants,
        groups.chi_squared,
        groups.freedom,
        variant.sent,
        variant.messages,
        variant.successes,
        variant.rate,
        baseline.messages as baseline_messages,
        baseline.successes as baseline_successes,
        baseline.rate as baseline_rate,
        case when not is_baseline then variant.rate - baseline.rate end as difference,
        difference - sqrt(
            pow(variant.rate - (variant.middle - variant.half), 2)
            + pow(baseline.middle + baseline.half - baseline.rate, 2)
        ) as difference_low,
        difference + sqrt(
            pow(variant.middle + variant.half - variant.rate, 2)
            + pow(baseline.rate - (baseline.middle - baseline.half), 2)
        ) as difference_high,
        (variant.successes + baseline.successes) / (variant.messages + baseline.messages) as pooled,
        sqrt(pooled * (1 - pooled) * (1 / variant.messages + 1 / baseline.messages)) as standard_error,
        abs(difference) / nullif(standard_error, 0) as z,
        -- 16 variances over the squared difference: 80 % power at 5 %, for a difference of a fifth of the baseline's rate.
        16 * pooled * (1 - pooled) / nullif(pow(0.2 * baseline.rate, 2), 0) as messages_needed,
        least(1, least(variant.messages, baseline.messages) / nullif(messages_needed, 0)) as information
    from rates as variant
    inner join rates as baseline
        on
            variant.campaign_id = baseline.campaign_id
            and variant.channel is not distinct from baseline.channel
            and variant.metric = baseline.metric
            and baseline.place = 1
    inner join groups
        on variant.campaign_id = groups.campaign_id and variant.channel is not distinct from groups.channel
),

tested as (
    select
        *,
        marts.normal_two_sided_p(z) as p_value,
        least(1, marts.normal_two_sided_p(z * sqrt(information)) * (variants - 1)) as guarded_p_value,
        marts.chi_squared_p(chi_squared, freedom) as unequal_groups_p_value
    from pairs
),

judged as (
    select
        *,
        case
            when variants < 2 then 'alone'
            when unequal_groups_p_value < 0.001 then 'unequal_groups'
            when is_baseline then 'baseline'
            when days < 7 or least(successes, baseline_successes) < 10 then 'too_early'
            when guarded_p_value < 0.05 and difference > 0 then 'better'
            when guarded_p_value < 0.05 then 'worse'
            when coalesce(information, 0) < 1 then 'too_early'
            else 'no_difference'
        end as verdict_code
    from tested
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
    days,
    sent,
    messages,
    successes,
    rate,
    difference,
    difference_low,
    difference_high,
    difference / nullif(baseline_rate, 0) as lift,
    case when not is_baseline then p_value end as p_value,
    case when not is_baseline then guarded_p_value end as guarded_p_value,
    unequal_groups_p_value,
    ceil(messages_needed)::bigint as messages_needed,
    verdict_code,
    case verdict_code
        when 'alone' then 'There is nothing to compare it with.'
        when 'unequal_groups'
        then 'Do not trust this test: its groups are more unequal than chance explains. Check how people were split.'
        when 'baseline' then 'The other variants are compared with this one.'
        when 'better'
        then printf('%s is better than %s: %.2f %% instead of %.2f %%.', variant_name, baseline_name, 100 * rate, 100 * baseline_rate)
        when 'worse'
        then printf('%s is worse than %s: %.2f %% instead of %.2f %%.', variant_name, baseline_name, 100 * rate, 100 * baseline_rate)
        when 'no_difference'
        then printf('%s and %s do not differ measurably, although there were enough messages to show a difference of a fifth.', variant_name, baseline_name)
        when 'too_early'
        then case
            when days < 7 then printf('Too early to say: the test is %d days old, wait for a whole week.', days)
            when least(successes, baseline_successes) < 10
            then 'Too early to say: there are fewer than ten successes on one side.'
            else printf(
                'Too early to say: about %d messages per variant are needed, the smaller group has %d.',
                ceil(messages_needed)::bigint,
                least(messages, baseline_messages)::bigint
            )
        end
    end as verdict
from judged;
