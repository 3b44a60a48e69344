-- title: Top campaigns
-- question: Which campaigns did best by one measure?
-- params:
--   start (date, default last_day - 27): first KST day; unless given, 28 days in all
--   end (date, default max(date)): last KST day; unless given, the last one that the warehouse holds
--   measure (varchar, default 'clicked', one of sent delivered clicked click_rate conversions): what to rank by
--   top (bigint, default 10): how many ranks; campaigns that tie share one
-- In other DuckDB clients, set parameters before: set variable start = '2026-11-01'; set variable "end" = '2026-11-30';

with params as (
    select
        coalesce(getvariable('end')::date, max(date)) as last_day,
        coalesce(getvariable('start')::date, last_day - 27) as first_day,
        coalesce(getvariable('measure')::varchar, 'clicked') as measure,
        coalesce(getvariable('top')::bigint, 10) as top
    from ops.coverage
    where stream = 'statistics'
),
statistics as (
    select daily_statistics.*
    from daily_statistics
    inner join params on daily_statistics.date between params.first_day and params.last_day
    where daily_statistics.campaign_id is not null
),
-- Summed up per statistic first, so that two conversions of one statistic do not count its messages twice.
conversions as (
    select
        statistic_id,
        sum(count) filter (where type = 'total_count_conversion') as conversions
    from daily_conversions
    group by statistic_id
),
campaign_totals as (
    select
        statistics.campaign_id,
        -- A name may change; the newest one is what people know it by.
        arg_max(statistics.campaign_name, (statistics.date, statistics.statistic_id)) as campaign_name,
        string_agg(distinct statistics.channel, ', ' order by statistics.channel) as channels,
        sum(message_sent) as sent,
        sum(delivered) as delivered,
        sum(click) as clicked,
        sum(conversions) as conversions,
        -- A rate leaves out the messages that nobody counted clicks of.
        sum(message_sent - message_failed) filter (where click is not null) as clickable
    from statistics
    left join conversions on statistics.statistic_id = conversions.statistic_id
    group by statistics.campaign_id
),
measured as (
    select
        *,
        round(clicked / nullif(clickable, 0), 4) as click_rate,
        case measure
            when 'sent' then sent
            when 'delivered' then delivered
            when 'clicked' then clicked
            when 'click_rate' then clicked / nullif(clickable, 0)
            when 'conversions' then conversions
            else error('measure must be one of sent, delivered, clicked, click_rate, conversions')
        end as value
    from campaign_totals
    cross join params
)
select
    rank() over (order by value desc) as rank,
    campaign_name,
    channels,
    sent::bigint as sent,
    delivered::bigint as delivered,
    clicked::bigint as clicked,
    click_rate,
    conversions::bigint as conversions,
    campaign_id
from measured
-- A campaign that the measure is not known of has no place among the best.
where value is not null
qualify rank <= top
order by rank, campaign_id;
