-- title: A/B tests
-- question: Which variant of each A/B test is better, and is that more than chance?
-- params:
--   campaign (varchar, default null): id of the one campaign to look at
--   metric (varchar, default null, one of click conversion): only this metric
-- In other DuckDB clients, set parameters before: set variable metric = 'click';
-- example:
--   campaign_name     metric      variant_name  messages  successes  rate    guarded_p_value  …
--   11월 재구매 유도  click       A             4925      219        0.0445                   …
--   11월 재구매 유도  click       B             5051      312        0.0618  0.0075           …
--   11월 재구매 유도  conversion  A             4925      89         0.0181                   …

with params as (
    select
        getvariable('campaign')::varchar as only_campaign,
        getvariable('metric')::varchar as only_metric
)
select
    ab_tests.campaign_name,
    ab_tests.metric,
    ab_tests.variant_name,
    ab_tests.messages,
    ab_tests.successes,
    round(ab_tests.rate, 4) as rate,
    round(ab_tests.guarded_p_value, 4) as guarded_p_value,
    ab_tests.verdict,
    ab_tests.channel,
    round(ab_tests.lift, 4) as lift,
    round(ab_tests.difference, 4) as difference,
    round(ab_tests.difference_low, 4) as difference_low,
    round(ab_tests.difference_high, 4) as difference_high,
    round(ab_tests.p_value, 4) as p_value,
    round(ab_tests.unequal_groups_p_value, 4) as unequal_groups_p_value,
    ab_tests.days,
    ab_tests.messages_needed,
    ab_tests.verdict_code,
    ab_tests.campaign_id,
    ab_tests.variant_id
from marts.ab_tests
cross join params
where
    (params.only_campaign is null or ab_tests.campaign_id = params.only_campaign)
    and (params.only_metric is null or ab_tests.metric = params.only_metric)
order by ab_tests.campaign_id, ab_tests.channel, ab_tests.metric, ab_tests.variant_name, ab_tests.variant_id;
