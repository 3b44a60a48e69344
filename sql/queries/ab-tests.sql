-- title: A/B tests
-- question: How do the variants of each A/B test compare?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   campaign (varchar, default null): id of the one campaign to compare
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        getvariable('campaign')::varchar as only_campaign
    from ops.coverage
    where stream = 'statistics'
),
statistics as (
    select daily_statistics.*
    from daily_statistics
    inner join params on daily_statistics.date between params.first_day and params.last_day
    where
        daily_statistics.variant_id is not null
        and (params.only_campaign is null or daily_statistics.campaign_id = params.only_campaign)
),
-- Summed up per statistic first, so that two conversions of one statistic do not count its messages twice.
conversions as (
    select
        statistic_id,
        sum(count) filter (where type = 'total_count_conversion') as conversions
    from daily_conversions
    group by statistic_id
),
variants as (
    select
        statistics.campaign_id,
        statistics.channel,
        statistics.variant_id,
        -- A name may change; the newest one is what people know it by.
        arg_max(statistics.variant_name, (statistics.date, statistics.statistic_id)) as variant_name,
        sum(message_sent) as sent,
        sum(message_failed) as failed,
        sum(delivered) as delivered,
        sum(click) as clicked,
        sum(conversions) as conversions,
        -- A rate leaves out the messages that nobody counted clicks of.
        sum(message_sent - message_failed) filter (where click is not null) as clickable,
        -- A day without conversions is one on which nobody converted: its messages count.
        sum(message_sent - message_failed) as convertible
    from statistics
    left join conversions on statistics.statistic_id = conversions.statistic_id
    group by statistics.campaign_id, statistics.channel, statistics.variant_id
),
-- The service does not say which variant is the control, so each one is held against all others of its test.
compared as (
    select
        *,
        clicked / nullif(clickable, 0) as click_rate,
        (sum(clicked) over test - clicked) / nullif(sum(clickable) over test - clickable, 0) as click_rate_of_others,
        conversions / nullif(convertible, 0) as conversion_rate,
        (sum(conversions) over test - conversions)
        / nullif(sum(convertible) over test - convertible, 0) as conversion_rate_of_others
    from variants
    window test as (partition by campaign_id, channel)
)
select
    campaigns.campaign_name,
    compared.channel,
    variant_name,
    sent::bigint as sent,
    failed::bigint as failed,
    delivered::bigint as delivered,
    clicked::bigint as clicked,
    conversions::bigint as conversions,
    round(click_rate, 4) as click_rate,
    round(conversion_rate, 4) as conversion_rate,
    round(click_rate / nullif(click_rate_of_others, 0) - 1, 4) as click_rate_lift,
    round(conversion_rate / nullif(conversion_rate_of_others, 0) - 1, 4) as conversion_rate_lift,
    compared.campaign_id,
    variant_id
from compared
left join campaigns on compared.campaign_id = campaigns.campaign_id
order by compared.campaign_id, compared.channel, variant_name, variant_id;
